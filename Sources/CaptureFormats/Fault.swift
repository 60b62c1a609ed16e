/// What is wrong at a record's place; the text is made only when it is reported.
enum Fault: Sendable, Equatable, BitwiseCopyable {
  /// The input ends inside a record's header.
  case cutHeader(have: Int, need: Int)
  /// The input ends inside a record.
  case cutRecord(have: Int, need: Int)
  /// A length that no packet of this container has.
  case absurdLength(UInt32)
  /// A header whose fields contradict each other or the record after it.
  case implausible
  /// Nothing but zeros where a record should begin.
  case zeros
  /// A pcapng block that is too short for its kind.
  case shortBlock(type: UInt32, length: UInt32, need: Int)
  /// A pcapng block whose length at its end differs from that at its start.
  case blockLengths(UInt32, UInt32)
  /// A pcapng packet of an interface that no block describes.
  case unknownInterface(UInt32)
  /// A section header without a byte-order magic.
  case byteOrder(UInt32)
  /// The source ended early; it says itself why.
  case source

  /// The clause of the error message.
  var reason: String {
    switch self {
    case .cutHeader(let have, let need):
      "the file is cut: a record header needs \(need) bytes, \(have) are left"
    case .cutRecord(let have, let need):
      "the file is cut inside a record: it needs \(need) bytes, \(have) are left"
    case .absurdLength(let length):
      "a record claims \(length) bytes, more than any Bluetooth packet"
    case .implausible: "no record begins here: the header's lengths and time do not fit"
    case .zeros: "zeros where a record should begin"
    case .shortBlock(let type, let length, let need):
      "\(Self.blockName(type)) is too short: \(need) bytes needed, \(length) given"
    case .blockLengths(let first, let last):
      "a block's two lengths differ: \(first) at its start, \(last) at its end"
    case .unknownInterface(let number):
      "a packet of interface \(number), which no interface description block describes"
    case .byteOrder(let magic):
      "section header block with unknown byte-order magic 0x\(String(magic, radix: 16))"
    case .source: "the input ended early"
    }
  }

  /// Names of pcapng's blocks (pcapng, Block Types).
  static func blockName(_ type: UInt32) -> String {
    switch type {
    case 0x0A0D_0D0A: "section header block"
    case 1: "interface description block (type 1)"
    case 2: "packet block (type 2)"
    case 3: "simple packet block (type 3)"
    case 5: "interface statistics block (type 5)"
    case 6: "enhanced packet block (type 6)"
    default: "block of type \(type)"
    }
  }
}
