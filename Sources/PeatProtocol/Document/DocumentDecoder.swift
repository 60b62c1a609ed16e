internal import WireBytes

/// A document as the reference decodes it, with what it left out on the way.
public struct DecodedDocument: Equatable, Sendable {
  /// What the reference has after decoding.
  public var document: Document
  /// What the reference silently leaves out or changes, by offset.
  public var dropped: [Dropped]
  /// The bytes from the place where decoding stopped; empty when it read to the end.
  public var trailing: [UInt8]
  /// The peripheral that an Android sender meant, where the bytes are of its codec
  /// (protocol.md 9.3).
  public var kotlin: Peripheral?

  /// Makes a decoded document from its parts.
  public init(
    document: Document, dropped: [Dropped] = [], trailing: [UInt8] = [],
    kotlin: Peripheral? = nil
  ) {
    self.document = document
    self.dropped = dropped
    self.trailing = trailing
    self.kotlin = kotlin
  }
}

extension Document {
  /// Decodes a document exactly as the reference does (protocol.md 2.1).
  ///
  /// `chat` chooses the build: one without legacy chat steps over those sections.
  /// Throws where the reference refuses the bytes as a whole.
  public static func decode(
    _ bytes: [UInt8], chat: Bool = true
  ) throws(FormatFault) -> DecodedDocument {
    // Bytes have no padding, so their raw view is wholly initialised.
    try unsafe decode(bytes.span.bytes, chat: chat)
  }

  /// Decodes a document exactly as the reference does (protocol.md 2.1).
  ///
  /// `chat` chooses the build: one without legacy chat steps over those sections.
  /// Throws where the reference refuses the bytes as a whole.
  public static func decode(
    _ span: RawSpan, chat: Bool = true
  ) throws(FormatFault) -> DecodedDocument {
    let bytes = DocumentBytes(span)
    if let fault = headerFault(bytes) { throw fault }
    var log: [Dropped] = []
    let claimed = Int(bytes.le32(8))
    var document = Document(
      version: bytes.le32(0), node: bytes.node(4),
      counter: GCounter.read(bytes, 12, claimed: claimed, log: &log))
    var sections = SectionPlaces()
    let stop = readSections(
      bytes, from: 12 &+ 12 &* claimed, chat: chat, &document, &sections, &log)
    if log.count > 1 { log.sort { $0.offset < $1.offset } }
    return DecodedDocument(
      document: document, dropped: log,
      trailing: stop < bytes.count ? bytes.array(stop, bytes.count) : [],
      kotlin: KotlinCodec.peripheral(bytes, counterEnd: 12 &+ 12 &* claimed))
  }

  /// Whether the counter is whole and its end is the end or the start of a section: what makes a
  /// plain reading credible where the first byte is a marker too (protocol.md 2.9).
  public static func isCredible(_ span: RawSpan) -> Bool {
    let bytes = DocumentBytes(span)
    guard headerFault(bytes) == nil else { return false }
    let end = 12 + 12 * Int(bytes.le32(8))
    return end == bytes.count || (Marker.peripheral...Marker.chat).contains(bytes.u8(end))
  }

  /// Why the reference refuses the bytes as a whole, nil where it does not.
  static func headerFault(_ bytes: borrowing DocumentBytes) -> FormatFault? {
    let count = bytes.count
    if count < 12 {
      let reason =
        count < 8
        ? "a document needs at least 12 bytes, \(count) present"
        : "counter needs its count of entries (4 bytes), \(count - 8) bytes left"
      return FormatFault(reason: reason, offset: min(count, 8))
    }
    let claimed = bytes.le32(8)
    if claimed > UInt32(GCounter.maximumDecodedEntries) {
      return FormatFault(reason: "counter claims \(claimed) entries, at most 256", offset: 8)
    }
    let needed = 12 &* Int(claimed)
    if count &- 12 < needed {
      let entries = claimed == 1 ? "entry" : "entries"
      return FormatFault(
        reason:
          "counter claims \(claimed) \(entries) (\(needed) bytes), \(count - 12) bytes left",
        offset: 8)
    }
    return nil
  }
}

/// Where the last section of each kind stood, to tell what a later one of the same kind replaces.
private struct SectionPlaces {
  private var starts: (Int, Int, Int) = (-1, -1, -1)

  subscript(marker: UInt8) -> Int {
    get {
      switch marker {
      case Document.Marker.peripheral: starts.0
      case Document.Marker.emergency: starts.1
      default: starts.2
      }
    }
    set {
      switch marker {
      case Document.Marker.peripheral: starts.0 = newValue
      case Document.Marker.emergency: starts.1 = newValue
      default: starts.2 = newValue
      }
    }
  }
}

extension Document {
  /// Reads sections until the end or a stop; gives the offset where it stopped.
  private static func readSections(
    _ bytes: borrowing DocumentBytes, from start: Int, chat: Bool, _ document: inout Document,
    _ places: inout SectionPlaces, _ log: inout [Dropped]
  ) -> Int {
    var offset = start
    while offset < bytes.count {
      let marker = bytes.u8(offset)
      guard let section = sectionName(marker) else {
        log.append(
          Dropped(
            .section, .stop, at: offset,
            "section marker 0x\(Hexadecimal.string([marker])) is unknown", raw: UInt64(marker)))
        return offset
      }
      if bytes.count &- offset < 4 {
        log.append(
          Dropped(
            section, .stop, at: offset,
            "section header needs 4 bytes, \(bytes.count - offset) left"))
        return offset
      }
      let length = Int(bytes.le16(offset &+ 2))
      let body = offset &+ 4
      if length > bytes.count &- body {
        log.append(
          Dropped(
            section, .stop, at: offset + 2,
            "\(section.rawValue) section claims \(length) bytes, \(bytes.count - body) left",
            raw: UInt64(length), content: content(bytes, marker, body, bytes.count)))
        return offset
      }
      let end = body &+ length
      if places[marker] >= 0 && (chat || marker != Marker.chat) {
        noteReplaced(bytes, marker, section, places[marker], &log)
      }
      places[marker] = offset
      switch marker {
      case Marker.peripheral:
        document.peripheral = Peripheral.read(
          bytes, body, end, lengthOffset: offset &+ 2, log: &log)
      case Marker.emergency:
        document.emergency = EmergencyEvent.read(
          bytes, body, end, lengthOffset: offset &+ 2, log: &log)
      default:
        if chat {
          document.chat = ChatSet.read(bytes, body, end, lengthOffset: offset + 2, log: &log)
        }
      }
      offset = end
    }
    return offset
  }

  @inline(__always)
  private static func sectionName(_ marker: UInt8) -> Dropped.Section? {
    switch marker {
    case Marker.peripheral: .peripheral
    case Marker.emergency: .emergency
    case Marker.chat: .chat
    default: nil
    }
  }

  private static func noteReplaced(
    _ bytes: borrowing DocumentBytes, _ marker: UInt8, _ section: Dropped.Section,
    _ place: Int, _ log: inout [Dropped]
  ) {
    let end = place + 4 + Int(bytes.le16(place + 2))
    log.append(
      Dropped(
        section, .skip, at: place, "a later \(section.rawValue) section replaces this one",
        content: content(bytes, marker, place + 4, end)))
  }

  private static func content(
    _ bytes: borrowing DocumentBytes, _ marker: UInt8, _ start: Int, _ end: Int
  ) -> [ContentField] {
    switch marker {
    case Marker.peripheral: Peripheral.content(bytes, start, end)
    case Marker.emergency: EmergencyEvent.content(bytes, start, end)
    default: []
    }
  }
}
