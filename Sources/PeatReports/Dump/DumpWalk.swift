import PeatProtocol
import WireBytes

/// Goes over a message's bytes and names each field, as far as the bytes reach.
///
/// It only describes; what the bytes mean was decided by the decoder before. Past a cut, every
/// further field is left out.
struct DumpWalk {
  let bytes: [UInt8]
  /// The end of the part that is walked.
  var end: Int
  var offset = 0
  var fields: [DumpField] = []
  /// Whether a field was cut, so that nothing behind it can be named.
  var isCut = false

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    end = bytes.count
  }

  var remaining: Int { end - offset }

  /// Names the next `size` bytes; nil where they are not all there.
  mutating func take(
    _ size: Int, _ name: String, _ form: DumpField.Form
  ) -> ArraySlice<UInt8>? {
    guard !isCut, size >= 0 else { return nil }
    guard size <= remaining else {
      fields.append(
        DumpField(
          range: offset..<end, name: name,
          value: "cut: needs \(size) bytes, \(remaining) left", form: .cut))
      offset = end
      isCut = true
      return nil
    }
    let place = offset..<offset + size
    fields.append(DumpField(range: place, name: name, value: "", form: form))
    offset += size
    return bytes[place]
  }

  /// Sets the value of the field that was named last.
  mutating func say(_ value: String) {
    guard let last = fields.indices.last else { return }
    fields[last].value = value.replacingUnsafeCharacters()
  }

  /// An unsigned number, least significant byte first; 0 where it is cut.
  @discardableResult
  mutating func number(
    _ size: Int, _ name: String, bigEndian: Bool = false, form: DumpField.Form? = nil,
    _ spell: ((UInt64) -> String)? = nil
  ) -> UInt64 {
    let usual: DumpField.Form =
      spell == nil
      ? (bigEndian ? .bigEndian : .number) : (bigEndian ? .bigEndianSpelled : .spelled)
    guard let part = take(size, name, form ?? usual) else { return 0 }
    var value: UInt64 = 0
    if bigEndian {
      for byte in part { value = value << 8 | UInt64(byte) }
    } else {
      for byte in part.reversed() { value = value << 8 | UInt64(byte) }
    }
    if let last = fields.indices.last { fields[last].raw = value }
    say(spell.map { $0(value) } ?? "\(value)")
    return value
  }

  mutating func node(_ name: String, bigEndian: Bool = false) {
    number(4, name, bigEndian: bigEndian, form: bigEndian ? .bigEndianNode : .node) {
      "\(NodeID(rawValue: UInt32(truncatingIfNeeded: $0)))"
    }
  }

  /// Milliseconds since 1970, with the date where it is one.
  mutating func time(_ name: String) { number(8, name, form: .time, DumpWalk.spell(time:)) }

  mutating func float(_ name: String) {
    number(4, name, form: .float) { "\(Float(bitPattern: UInt32(truncatingIfNeeded: $0)))" }
  }

  mutating func text(_ size: Int, _ name: String) {
    guard let part = take(size, name, .text) else { return }
    say("\"\(String(decoding: part.prefix { $0 != 0 }, as: UTF8.self))\"")
  }

  /// Bytes that say nothing by themselves: nonces, keys, content.
  mutating func opaque(_ size: Int, _ name: String, _ value: String? = nil) {
    guard let part = take(size, name, .bytes) else { return }
    say(value ?? "\(part.count) byte\(part.count == 1 ? "" : "s")")
  }

  /// Whatever is left.
  mutating func rest(_ name: String, _ value: String? = nil) {
    if !isCut && remaining > 0 { opaque(remaining, name, value) }
  }

  mutating func marker() { number(1, "marker") { "0x" + String($0, radix: 16) } }

  /// Flags of which each bit has a name, the lowest first.
  mutating func flags(_ name: String, size: Int = 1, _ bits: [String]) {
    number(size, name) { value in
      let set = (0..<size * 8).filter { value >> UInt64($0) & 1 != 0 }
        .map { $0 < bits.count ? bits[$0] : "bit_\($0)" }
      return set.isEmpty ? "\(value)" : "\(value): \(set.joined(separator: ", "))"
    }
  }

  static func spell(time: UInt64) -> String {
    // 2000 up to 2100: what a reader can use as a date.
    guard (946_684_800_000..<4_102_444_800_000).contains(time) else { return "\(time)" }
    var text = OutputText(capacity: 48)
    text.append(decimal: time)
    text.append(" (")
    let civil = CivilTime(Timestamp(nanoseconds: Int64(time) * 1_000_000))
    text.append(date: civil)
    text.append(" ")
    text.append(clock: civil, decimals: 3)
    text.append(" UTC)")
    return String(decoding: text.slice, as: UTF8.self)
  }
}

// MARK: - What the decoder said

extension DumpWalk {
  /// Puts what the decoder left out, and the fault of a malformed message, at their places.
  mutating func note(_ message: Message) {
    switch message.body {
    case .document(let decoded): for item in decoded.dropped { note(item) }
    case .delta(let delta): for item in delta.dropped { note(item) }
    case .none, .encrypted, .peerEncrypted, .keyExchange, .relay, .canned, .app, .markers, .chat,
      .nodeID, .nodeInfo, .syncState, .command, .status, .chunk, .lite, .beacon:
      break
    }
    if let fault = message.fault { note(fault.reason, at: fault.offset) }
  }

  private mutating func note(_ item: Dropped) {
    let verb =
      switch item.rule {
      case .drop: "dropped"
      case .stop: "decoding stops here"
      case .skip: "passed over"
      case .clamp: "changed"
      }
    note("\(item.section.rawValue) \(verb): \(item.reason)", at: item.offset)
  }

  private mutating func note(_ text: String, at offset: Int) {
    let text = text.replacingUnsafeCharacters()
    if let index = fields.firstIndex(where: { $0.range.contains(offset) }) {
      fields[index].notes.append(text)
      return
    }
    let place = min(max(offset, 0), bytes.count)
    let index = fields.firstIndex { $0.range.lowerBound > place } ?? fields.endIndex
    fields.insert(
      DumpField(range: place..<place, name: "", value: "", form: .bytes, notes: [text]), at: index)
  }
}
