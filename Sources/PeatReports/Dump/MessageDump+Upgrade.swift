import SMPProtocol
import WireBytes

extension MessageDump {
  /// Takes a message of a firmware upgrade apart (docs/upgrades.md, 2), as far as it can be read.
  package init(upgrade bytes: [UInt8]) {
    var walk = DumpWalk(bytes)
    var reader = ByteReader(bytes.rawBytes, layer: .smp)
    guard let header = try? SMPHeader(&reader) else {
      _ = walk.take(bytes.count, "bytes", .bytes)
      self.init(title: "malformed", bytes: bytes, fields: walk.fields)
      remarks.append("no header of SMP stands at its beginning")
      return
    }
    walk.number(1, "version, op", bigEndian: true) { _ in
      "version \(header.version), \(header.operation.name)"
    }
    walk.number(1, "flags", bigEndian: true)
    walk.number(2, "length", bigEndian: true)
    walk.number(2, "group", bigEndian: true) { number in
      SMPNames.group(header.group).map { "\(number) \($0)" } ?? "\(number)"
    }
    walk.number(1, "sequence", bigEndian: true)
    walk.number(1, "command", bigEndian: true) { number in
      SMPNames.command(header.command, of: header.group).map { "\(number) \($0)" } ?? "\(number)"
    }
    walk.walk(body: reader)
    self.init(title: "smp \(header.operation.name)", bytes: bytes, fields: walk.fields)
    var whole = ByteReader(bytes.rawBytes, layer: .smp)
    do throws(DecodeError) {
      let message = try SMPMessage(&whole)
      if message.hasDuplicateKeys { remarks.append("a key stands there twice") }
      if header.operation.isResponse, let refusal = SMPRefusal(message.body) {
        let words = refusal.words ?? "code \(refusal.code)"
        remarks.append("refused: \(words)".replacingUnsafeCharacters())
      }
    } catch {
      remarks.append("\(error)")
    }
  }
}

extension DumpWalk {
  /// Names the body's map entry by entry.
  fileprivate mutating func walk(body reader: ByteReader) {
    var reader = reader
    guard let first = reader.peek(), first >> 5 == 5 else {
      rest()
      return
    }
    let isIndefinite = first == 0xBF
    let headSize =
      switch first & 0x1F {
      case 24: 2
      case 25: 3
      case 26: 5
      case 27: 9
      default: 1
      }
    guard (try? reader.skip(headSize)) != nil else {
      rest()
      return
    }
    _ = take(headSize, "map", .bytes)
    say(isIndefinite ? "until its break" : "a map")
    while let next = reader.peek(), next != 0xFF {
      var values = CBORReader(reader)
      guard let key = try? values.next(), let value = try? values.next() else { break }
      let size = reader.remaining - values.remaining
      guard (try? reader.skip(size)) != nil else { break }
      _ = take(size, key.text?.replacingUnsafeCharacters() ?? UpgradePhrases.short(key), .bytes)
      say(UpgradePhrases.whole(value))
    }
    if isIndefinite, reader.peek() == 0xFF {
      _ = take(1, "break", .bytes)
    }
    rest()
  }

  /// Names what is left, which no field holds.
  private mutating func rest() {
    guard remaining > 0 else { return }
    let count = remaining
    _ = take(count, "unread", .bytes)
    say("\(count) byte\(count == 1 ? "" : "s") of no value")
  }
}
