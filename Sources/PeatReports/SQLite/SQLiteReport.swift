import BluetoothProtocols
package import PeatDissection
import PeatProtocol
import PeatReplay
package import PeatTimeline
package import WireBytes

/// The timeline and what came of it as an SQLite database (cli.md, "SQLite").
///
/// Rows go to the file as they come, in one transaction: memory does not grow with messages.
package final class SQLiteReport {
  let database: SQLiteDatabase
  private let message: SQLiteStatement
  private let counter: SQLiteBatch
  private let acknowledgement: SQLiteBatch
  private let finding: SQLiteStatement
  private let link: SQLiteStatement
  private var messages = 0
  private var knownLinks: Set<Int> = []
  private var emergencies = 0
  private var scratch = OutputText(capacity: 64)

  /// Begins a database in an empty file.
  package init(path: String) throws(SQLiteError) {
    database = try SQLiteDatabase(path: path)
    try database.execute(SQLiteSchema.tables)
    message = try database.prepare(SQLiteReport.insertion(into: "message", values: 45))
    counter = try SQLiteBatch(database, "INSERT OR IGNORE INTO counter", values: 3)
    acknowledgement = try SQLiteBatch(
      database, "INSERT OR IGNORE INTO acknowledgement", values: 3)
    finding = try database.prepare(SQLiteReport.insertion(into: "finding", values: 10))
    link = try database.prepare(SQLiteReport.insertion(into: "link", values: 15))
  }

  static func insertion(into table: String, values: Int) -> String {
    let marks = repeatElement("?", count: values).joined(separator: ",")
    return "INSERT OR REPLACE INTO \(table) VALUES(\(marks))"
  }

  /// Appends a row with its counters, acknowledgements and findings.
  package func append(_ row: TimelineRow) throws(SQLiteError) {
    messages += 1
    let value = row.value
    let isBeacon = value.advertisement != nil
    if !isBeacon && !knownLinks.contains(value.link.id) {
      try append(value.link, file: row.file, facts: nil)
    }
    message.bind(messages)
    message.bind(row.file)
    message.bind(value.frame)
    message.bind(utc(value.time))
    message.bind(row.elapsed.map { Double($0) / 1e9 })
    message.bind(isBeacon ? nil : value.link.id)
    message.bind(value.direction.rawValue)
    message.bind(value.opcode.rawValue)
    message.bind(isBeacon ? nil : Int(value.handle))
    message.bind(value.characteristic?.description)
    message.bind(value.service?.description)
    message.bind(value.resolution?.rawValue)
    message.bind(isBeacon ? nil : value.mtu)
    message.bind(value.outcome?.name)
    if case .refused(let code) = value.outcome {
      message.bind(Int(code))
    } else {
      message.bind(nil as Int?)
    }
    message.bind(value.link.local?.description)
    message.bind(value.link.peer?.description)
    bind(row.message)
    message.bind(value.length)
    message.bind(value.isCutByCapture ? value.payload.count : nil)
    bind(row.document)
    message.bind(row.effect.isChanged ? 1 : 0)
    message.bind(unsigned: row.effect.meshTotal)
    message.bind(blob: value.payload)
    try message.run()
    try appendParts(row)
  }

  private func bind(_ read: Message) {
    message.bind(read.kind.rawValue)
    message.bind(read.node?.description)
    message.bind(read.decryptedWith)
    message.bind(read.unopened?.rawValue)
    message.bind(read.fault?.reason)
  }

  private func bind(_ decoded: DecodedDocument?) {
    let document = decoded?.document
    message.bind(document.map { Int($0.version) })
    message.bind(unsigned: document?.counter.total)
    let peripheral = decoded?.shownPeripheral
    message.bind(peripheral?.id.description)
    message.bind(peripheral.flatMap { $0.parent.rawValue == 0 ? nil : $0.parent.description })
    message.bind(peripheral?.type.name)
    message.bind(peripheral?.callsign.text)
    message.bind(peripheral.map { Int($0.health.battery) })
    message.bind(peripheral?.health.activity.name)
    message.bind(peripheral?.health.alerts.names.joined(separator: ";"))
    message.bind(peripheral.flatMap { $0.health.heartRate == 0 ? nil : Int($0.health.heartRate) })
    message.bind(peripheral?.event?.type.name)
    message.bind(unsigned: peripheral?.event?.time)
    let location = peripheral?.location
    message.bind(location.map { Double($0.latitude) })
    message.bind(location.map { Double($0.longitude) })
    message.bind(location?.altitude.map { Double($0) })
    message.bind(location?.accuracy.map { Double($0) })
    message.bind(document?.emergency?.source.description)
    message.bind(unsigned: document?.emergency?.time)
  }

  private func appendParts(_ row: TimelineRow) throws(SQLiteError) {
    let number = messages
    try counter.insert(row.document?.document.counter.entries ?? []) { entry, statement in
      statement.bind(number)
      statement.bind(entry.node.description)
      statement.bind(unsigned: entry.count)
    }
    let emergency = row.document?.document.emergency
    for (nodes, isAcked) in [(emergency?.acked ?? [], 1), (emergency?.pending ?? [], 0)] {
      try acknowledgement.insert(nodes) { node, statement in
        statement.bind(number)
        statement.bind(node.description)
        statement.bind(isAcked)
      }
    }
    for found in row.findings {
      try append(
        found.code, found.message, message: messages, file: row.file,
        node: row.message.node?.description,
        link: row.value.link.id, frame: row.value.frame, time: row.value.time)
    }
  }

  private func append(
    _ code: FindingCode, _ text: String, message: Int?, file: String, node: String?, link: Int?,
    frame: Int?, time: Timestamp?
  ) throws(SQLiteError) {
    finding.bind(nil as Int?)
    finding.bind(message)
    finding.bind(file)
    finding.bind(code.rawValue)
    finding.bind(code.severity.rawValue)
    finding.bind(node)
    finding.bind(link)
    finding.bind(frame)
    finding.bind(utc(time))
    finding.bind(text)
    try finding.run()
  }

  /// Appends a finding of a capture as a whole.
  package func append(_ item: FindingReport.Item) throws(SQLiteError) {
    try append(
      item.code, item.message, message: nil, file: item.file, node: item.node?.description,
      link: item.link, frame: item.frames.first, time: item.firstTime)
  }

  /// Takes back what rows said of nodes' clocks where it was the recorder's that is wrong.
  package func acquit(_ item: FindingReport.Item) throws(SQLiteError) {
    let statement = try database.prepare(
      "DELETE FROM finding WHERE code=? AND file=? AND node=? AND message IS NOT NULL")
    for node in item.nodes {
      statement.bind(FindingCode.clockSkew.rawValue)
      statement.bind(item.file)
      statement.bind(node.description)
      try statement.run()
    }
  }

  /// Appends what is known of a connection at its end; `facts.link.id` is the run's number.
  package func append(_ facts: LinkFacts, file: String) throws(SQLiteError) {
    try append(facts.link, file: file, facts: facts)
  }

  private func append(_ one: Link, file: String, facts: LinkFacts?) throws(SQLiteError) {
    knownLinks.insert(one.id)
    link.bind(one.id)
    link.bind(file)
    link.bind(one.adapter)
    link.bind(Int(one.connection))
    link.bind(one.local?.description)
    link.bind(one.peer?.description)
    link.bind(one.peerType?.name)
    link.bind((facts?.identity ?? one.identity)?.description)
    link.bind(one.role?.rawValue)
    link.bind(utc(facts?.opened))
    link.bind(facts?.end == nil ? nil : utc(facts?.closed))
    link.bind(facts?.end?.name)
    link.bind(facts?.end?.endedBy?.rawValue)
    link.bind(facts?.mtu)
    link.bind((facts?.isEncrypted).map { $0 ? 1 : 0 })
    try link.run()
  }

  /// Appends a capture.
  package func append(
    file: String, packets: Int, first: Timestamp?, last: Timestamp?
  ) throws(SQLiteError) {
    let capture = try database.prepare("INSERT INTO capture VALUES(NULL,?,?,?,?)")
    capture.bind(file)
    capture.bind(packets)
    capture.bind(utc(first))
    capture.bind(utc(last))
    try capture.run()
  }

  /// Appends how every update spread: one row for each node that knew it or should have.
  package func append(_ report: ConvergenceReport) throws(SQLiteError) {
    let statement = try database.prepare(
      SQLiteReport.insertion(into: "update_spread", values: 9))
    for update in report.updates {
      let spread = update.spread
      func begin() {
        statement.bind(nil as Int?)
        statement.bind("\(spread.news)")
        statement.bind(spread.news.origin.description)
        statement.bind(spread.author.description)
        statement.bind(utc(spread.first.time))
      }
      for knower in spread.knowers {
        begin()
        statement.bind(knower.node.description)
        statement.bind(1)
        statement.bind(utc(knower.stamp.time))
        statement.bind(Double(knower.stamp.time.nanoseconds(since: spread.first.time)) / 1e9)
        try statement.run()
      }
      for node in update.never {
        begin()
        statement.bind(node.description)
        statement.bind(0)
        try statement.run()
      }
      if spread.knowers.isEmpty && update.never.isEmpty {
        begin()
        try statement.run()
      }
    }
  }

  /// The number of the next emergency.
  func nextEmergency() -> Int {
    emergencies += 1
    return emergencies
  }

  /// Makes indexes and views and ends the transaction.
  package func finish() throws(SQLiteError) {
    try database.execute(SQLiteSchema.behindRows)
    try database.execute(SQLiteSchema.questions)
    try database.commit()
  }

  func utc(_ time: Timestamp?) -> String? {
    guard let time else { return nil }
    scratch.removeAll()
    scratch.append(utc: time)
    return String(decoding: scratch.slice, as: UTF8.self)
  }
}
