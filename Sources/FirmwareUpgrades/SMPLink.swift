package import SMPProtocol
package import WireBytes

/// Where a message or a part of one was captured.
package struct SMPPlace: Sendable, Equatable {
  /// The capture as the user named it.
  package var file: String
  /// The packet, counted in its file from 1.
  package var frame: Int
  package var time: Timestamp?
  /// The connection, counted over the run.
  package var link: Int

  package init(file: String, frame: Int, time: Timestamp?, link: Int) {
    self.file = file
    self.frame = frame
    self.time = time
    self.link = link
  }

  /// Nanoseconds from another place to this one; nil where a time is not known.
  func nanoseconds(since other: SMPPlace) -> Int64? {
    guard let time, let before = other.time else { return nil }
    return time.nanoseconds(since: before)
  }
}

/// What an upgrade's story needs of a request, kept until its answer comes.
package struct SMPRequest: Sendable, Equatable {
  /// What it asks for.
  package enum Ask: Sendable, Equatable {
    case upload(Chunk)
    /// Without a hash, the image that runs.
    case mark(hash: [UInt8]?, isConfirm: Bool)
    case erase(slot: Int?)
    case other
  }

  /// A part of an image on its way.
  package struct Chunk: Sendable, Equatable {
    package var offset: Int
    package var count: Int
    package var length: Int?
    package var hash: [UInt8]?
    package var image: Int?
    package var version: String?
    /// Where the next part begins, if the server takes this one.
    package var end: Int { offset + count }
  }

  package var header: SMPHeader
  package var ask: Ask
  package var place: SMPPlace
  /// Values that carried it.
  package var parts: Int
  /// Counts the requests of a connection from 1; the answer has its request's.
  package var transaction: Int
}

/// A message with its place and what it belongs to.
package struct SMPPacket: Sendable {
  /// What there is of it.
  package enum Content: Sendable, Equatable {
    case whole(SMPMessage)
    /// Its body is not what it must be.
    case damaged(DecodeError)
    /// The capture left out a part of it.
    case incomplete
  }

  package var header: SMPHeader
  package var content: Content
  package var place: SMPPlace
  /// Every packet that carried a part.
  package var frames: [Int]
  /// Values that carried it.
  package var parts: Int
  /// Its bytes, as far as they are known.
  package var bytes: [UInt8]
  /// Counts the requests of a connection from 1; nil for an answer without one.
  package var transaction: Int?
  /// What it answers.
  package var request: SMPRequest?
  /// What it asks, where it is a request.
  package var asks: SMPRequest?
  /// The packets of a message before it that never became whole.
  package var cut: [Int] = []
  /// A request with the same number that it makes hopeless.
  package var replaced: SMPRequest?

  /// The message, where it is whole.
  package var message: SMPMessage? {
    if case .whole(let message) = content { message } else { nil }
  }

  /// Why the server did not do what it was asked, where it says so.
  package var refusal: SMPRefusal? {
    header.operation.isResponse ? message.flatMap { SMPRefusal($0.body) } : nil
  }
}

/// One value of the characteristic.
package struct SMPValue: Sendable {
  package var bytes: [UInt8]
  /// Bytes of the value as it was sent; the capture may hold fewer.
  package var length: Int
  package var isFromClient: Bool
  package var frames: [Int]
  package var place: SMPPlace

  package init(
    bytes: [UInt8], length: Int, isFromClient: Bool, frames: [Int], place: SMPPlace
  ) {
    self.bytes = bytes
    self.length = length
    self.isFromClient = isFromClient
    self.frames = frames
    self.place = place
  }
}

/// Puts the messages of one connection together, and answers to their requests.
package struct SMPLink: Sendable {
  /// Requests that wait for an answer; clients have a handful.
  private static let limit = 64
  /// Packets remembered of one message.
  private static let frameLimit = 4096

  private struct Direction: Sendable {
    var reassembler = SMPReassembler()
    var frames: [Int] = []
    var parts = 0
    var isIncomplete = false
  }

  private var directions = [Direction(), Direction()]
  /// The requests that wait, oldest first.
  package private(set) var waiting: [SMPRequest] = []
  private var transactions = 0
  /// Where the last value came.
  package private(set) var last: SMPPlace?
  /// Values that belong to no message: the first packet of them, and how many there were.
  package private(set) var strays: (first: SMPPlace, count: Int)?

  package init() {}

  /// Takes the next value; gives the message that it completes.
  package mutating func take(_ value: SMPValue) -> SMPPacket? {
    let side = value.isFromClient ? 0 : 1
    last = value.place
    // Padding keeps the count of what the capture left out.
    let missing = max(0, min(value.length, 65_543) - value.bytes.count)
    let bytes = missing == 0 ? value.bytes : value.bytes + [UInt8](repeating: 0, count: missing)
    let before = directions[side]
    let (step, hasCut) = directions[side].reassembler.take(bytes)
    if hasCut || directions[side].parts == 0 {
      directions[side].frames = []
      directions[side].parts = 0
      directions[side].isIncomplete = false
    }
    if case .foreign = step {
      strays = (strays?.first ?? value.place, (strays?.count ?? 0) + 1)
      directions[side].parts = 0
      return nil
    }
    let room = max(0, SMPLink.frameLimit - directions[side].frames.count)
    directions[side].frames += value.frames.prefix(room)
    directions[side].parts += 1
    if missing > 0 { directions[side].isIncomplete = true }
    guard case .message(let whole) = step else { return nil }
    let current = directions[side]
    directions[side].parts = 0
    var packet = packet(whole, current, value.place)
    if hasCut { packet?.cut = before.frames }
    return packet
  }

  /// Packets of messages that are not whole when the connection ends.
  package var unfinished: [Int] {
    directions.flatMap { $0.parts > 0 ? $0.frames : [] }
  }

  private mutating func packet(
    _ bytes: [UInt8], _ direction: Direction, _ place: SMPPlace
  ) -> SMPPacket? {
    var reader = ByteReader(bytes.rawBytes, layer: .smp)
    guard let header = try? SMPHeader(&reader) else { return nil }
    var packet = SMPPacket(
      header: header, content: .incomplete, place: place, frames: direction.frames,
      parts: direction.parts, bytes: bytes)
    if !direction.isIncomplete {
      var whole = ByteReader(bytes.rawBytes, layer: .smp)
      do throws(DecodeError) {
        packet.content = .whole(try SMPMessage(&whole))
      } catch {
        packet.content = .damaged(error)
      }
    }
    if header.operation.isResponse {
      if let index = waiting.firstIndex(where: { $0.header.isAnswered(by: header) }) {
        packet.request = waiting.remove(at: index)
        packet.transaction = packet.request?.transaction
      }
    } else {
      transactions += 1
      packet.transaction = transactions
      let request = SMPRequest(
        header: header, ask: SMPLink.ask(header, packet.message), place: place,
        parts: direction.parts, transaction: transactions)
      packet.asks = request
      if let index = waiting.firstIndex(where: { SMPLink.isSame($0.header, header) }) {
        packet.replaced = waiting.remove(at: index)
      } else if waiting.count == SMPLink.limit {
        packet.replaced = waiting.removeFirst()
      }
      waiting.append(request)
    }
    return packet
  }

  private static func isSame(_ left: SMPHeader, _ right: SMPHeader) -> Bool {
    left.operation == right.operation && left.group == right.group
      && left.command == right.command && left.sequence == right.sequence
  }

  private static func ask(_ header: SMPHeader, _ message: SMPMessage?) -> SMPRequest.Ask {
    guard let body = message?.body, header.operation == .write, header.group == 1 else {
      return .other
    }
    switch header.command {
    case 0:
      return .mark(hash: body["hash"]?.bytes, isConfirm: body["confirm"]?.bool ?? false)
    case 1:
      // Beyond 32 bits no flash has an address: arithmetic stays small.
      guard let upload = SMPUpload(body), upload.offset <= UInt32.max else { return .other }
      return .upload(
        SMPRequest.Chunk(
          offset: upload.offset, count: upload.data.count,
          length: upload.length.flatMap { $0 >= 0 && $0 <= UInt32.max ? $0 : nil },
          hash: upload.hash, image: upload.image, version: upload.version))
    case 5: return .erase(slot: body["slot"]?.integer)
    default: return .other
    }
  }
}
