import BluetoothMesh
import MeshSecurity
import WireBytes

/// What a part of an access message's parameters is; all are little-endian (Mesh Protocol 1.1, 3.1).
enum ParameterPart: Sendable {
  case u8(String), u16(String), u24(String), i16(String), i32(String)
  case choice(String, [String])
  case address(String)
  case netIndex, appIndex, netAppIndex
  case key, label, uuid
  case model
  case status
  case transition(String), delay
  case networkRetransmit, publicationRetransmit, period
  case features
  /// What follows may be absent as a whole.
  case optional
  case netIndexes, appIndexes, addresses, faults
  case composition
  case rest(String)
}

/// The fields of access messages in words, for the models whose layouts are known: foundation,
/// health, generic, and remote provisioning (Mesh Protocol 1.1, 4.3; Mesh Model 1.1, 3.2).
struct AccessFields: Sendable {
  private(set) var fields: [MeshField] = []
  /// Bytes of the parameters that are keys.
  private(set) var secret: Range<Int>?
  /// The key itself, and the indexes in front of it.
  private(set) var key: MeshKey?
  private(set) var netKeyIndex: UInt16?
  private(set) var appKeyIndex: UInt16?
  private(set) var label: [UInt8]?
  /// The status byte that answers of foundation models begin with.
  private(set) var status: UInt8?

  private let names: @Sendable (MeshAddress) -> String?

  /// Reads parameters; nil where their length is not the message's.
  init?(
    _ parameters: [UInt8], _ parts: [ParameterPart],
    names: @escaping @Sendable (MeshAddress) -> String?
  ) {
    self.names = names
    var reader = ByteReader(parameters.rawBytes, layer: .mesh)
    do throws(DecodeError) {
      for part in parts {
        if case .optional = part {
          if reader.isAtEnd { break }
          continue
        }
        try read(part, &reader)
      }
    } catch {
      return nil
    }
    guard reader.isAtEnd else { return nil }
  }

  private mutating func add(_ name: String, _ value: some BinaryInteger) {
    fields.append(MeshField(name, value))
  }

  private mutating func add(_ name: String, _ value: String) {
    fields.append(MeshField(name, value))
  }

  private mutating func read(
    _ part: ParameterPart, _ reader: inout ByteReader
  ) throws(DecodeError) {
    switch part {
    case .u8(let name): add(name, try reader.u8())
    case .u16(let name): add(name, try reader.le16())
    case .u24(let name): add(name, try AccessFields.le24(&reader))
    case .i16(let name): add(name, Int16(bitPattern: try reader.le16()))
    case .i32(let name): add(name, Int32(bitPattern: try reader.le32()))
    case .choice(let name, let words):
      let value = try reader.u8()
      add(name, Int(value) < words.count ? words[Int(value)] : "\(value)")
    case .address(let name): add(name, text(MeshAddress(try reader.le16())))
    case .netIndex:
      let index = try reader.le16() & 0xFFF
      netKeyIndex = index
      add("net_key_index", index)
    case .appIndex:
      let index = try reader.le16()
      appKeyIndex = index & 0xFFF
      add("app_key_index", index & 0xFFF)
      if index & 0x1000 != 0 { add("credentials", "friendship") }
    case .netAppIndex:
      let indexes = try AccessFields.le24(&reader)
      netKeyIndex = UInt16(indexes & 0xFFF)
      appKeyIndex = UInt16(indexes >> 12)
      add("net_key_index", indexes & 0xFFF)
      add("app_key_index", indexes >> 12)
    case .key:
      let start = reader.offset
      key = MeshKey(try reader.array(16))
      secret = start..<start + 16
      add("key", "not shown")
    case .label:
      let bytes = try reader.array(16)
      label = bytes
      let name = (try? VirtualLabel(bytes)).flatMap { $0 }.flatMap { text($0.address) }
      add("label", Hexadecimal.string(bytes))
      if let name { add("address", name) }
    case .uuid: add("uuid", Hexadecimal.string(try reader.array(16)))
    case .model: try readModel(&reader)
    case .status:
      let value = try reader.u8()
      status = value
      add("status", StatusWords.text(value))
    case .transition(let name): add(name, AccessFields.time(try reader.u8()))
    case .delay: add("delay", "\(Int(try reader.u8()) * 5) ms")
    case .networkRetransmit: readRetransmit(try reader.u8(), step: 10)
    case .publicationRetransmit: readRetransmit(try reader.u8(), step: 50)
    case .period: add("period", AccessFields.time(try reader.u8()))
    case .features: add("features", FeatureWords.text(try reader.le16()))
    case .optional: break
    case .netIndexes: try readIndexes("net_key_indexes", &reader)
    case .appIndexes: try readIndexes("app_key_indexes", &reader)
    case .addresses:
      var found: [MeshValue] = []
      while !reader.isAtEnd { found.append(.text(text(MeshAddress(try reader.le16())))) }
      fields.append(MeshField("addresses", .list(found)))
    case .faults:
      var found: [MeshValue] = []
      while !reader.isAtEnd { found.append(.text(StatusWords.fault(try reader.u8()))) }
      fields.append(MeshField("faults", .list(found)))
    case .composition: try readComposition(&reader)
    case .rest(let name): add(name, Hexadecimal.string(reader.rest()))
    }
  }

  private func text(_ address: MeshAddress) -> String {
    names(address).map { "\(address) (\($0))" } ?? "\(address)"
  }

  private mutating func readRetransmit(_ value: UInt8, step: Int) {
    add("retransmit_count", value & 7)
    add("retransmit_interval", "\((Int(value >> 3) + 1) * step) ms")
  }

  private mutating func readModel(_ reader: inout ByteReader) throws(DecodeError) {
    if reader.remaining >= 4 {
      let company = try reader.le16()
      add("model", "\(AccessFields.hex(try reader.le16())) of company \(AccessFields.hex(company))")
    } else {
      let id = try reader.le16()
      add("model", AccessFields.hex(id) + (ModelNames.name(of: id).map { " (\($0))" } ?? ""))
    }
  }

  private mutating func readIndexes(
    _ name: String, _ reader: inout ByteReader
  ) throws(DecodeError) {
    var found: [MeshValue] = []
    while reader.remaining >= 3 {
      let pair = try AccessFields.le24(&reader)
      found += [.number(Int(pair & 0xFFF)), .number(Int(pair >> 12))]
    }
    if !reader.isAtEnd { found.append(.number(Int(try reader.le16() & 0xFFF))) }
    fields.append(MeshField(name, .list(found)))
  }

  private mutating func readComposition(_ reader: inout ByteReader) throws(DecodeError) {
    let page = try reader.u8()
    add("page", page)
    guard page == 0 else {
      add("data", Hexadecimal.string(reader.rest()))
      return
    }
    add("company", AccessFields.hex(try reader.le16()))
    add("product", AccessFields.hex(try reader.le16()))
    add("version", AccessFields.hex(try reader.le16()))
    add("replay_list", try reader.le16())
    add("features", FeatureWords.text(try reader.le16()))
    var elements: [MeshValue] = []
    while !reader.isAtEnd {
      let location = try reader.le16()
      let counts = (Int(try reader.u8()), Int(try reader.u8()))
      var models: [String] = []
      for _ in 0..<counts.0 { models.append(AccessFields.hex(try reader.le16())) }
      for _ in 0..<counts.1 {
        let company = try reader.le16()
        models.append(AccessFields.hex(company) + AccessFields.hex(try reader.le16()))
      }
      elements.append(
        .text("\(AccessFields.hex(location)): \(models.joined(separator: " "))"))
    }
    fields.append(MeshField("elements", .list(elements)))
  }

  private static func le24(_ reader: inout ByteReader) throws(DecodeError) -> UInt32 {
    UInt32(try reader.le16()) | UInt32(try reader.u8()) << 16
  }

  static func hex(_ value: UInt16) -> String { Hexadecimal.upper(UInt64(value), width: 4) }

  /// A transition time or a period: steps of four resolutions (Mesh Model 1.1, 3.1.3).
  static func time(_ value: UInt8) -> String {
    let steps = Int(value & 0x3F)
    if steps == 0x3F { return "unknown" }
    switch value >> 6 {
    case 0: return "\(steps * 100) ms"
    case 1: return "\(steps) s"
    case 2: return "\(steps * 10) s"
    default: return "\(steps * 10) min"
    }
  }
}

/// Features of a node (Mesh Protocol 1.1, 4.2.2.1).
enum FeatureWords {
  static func text(_ bits: UInt16) -> String {
    let names = ["relay", "proxy", "friend", "low power"].enumerated()
      .filter { bits >> UInt16($0.offset) & 1 == 1 }.map(\.element)
    return names.isEmpty ? "none" : names.joined(separator: ", ")
  }
}

/// Codes in words.
enum StatusWords {
  /// The status of foundation models (Mesh Protocol 1.1, 4.3.5).
  static func text(_ code: UInt8) -> String {
    let words = [
      "success", "invalid address", "invalid model", "invalid AppKey index", "invalid NetKey index",
      "insufficient resources", "key index already stored", "invalid publish parameters",
      "not a subscribe model", "storage failure", "feature not supported", "cannot update",
      "cannot remove", "cannot bind", "temporarily unable to change state", "cannot set",
      "unspecified error", "invalid binding", "invalid path entry", "cannot get",
      "obsolete information", "invalid bearer",
    ]
    return Int(code) < words.count ? words[Int(code)] : "status \(code)"
  }

  /// Faults of health (Mesh Protocol 1.1, 4.2.15.1), the first of them.
  static func fault(_ code: UInt8) -> String {
    let words = [
      "no fault", "battery low warning", "battery low error", "supply voltage too low warning",
      "supply voltage too low error", "supply voltage too high warning",
      "supply voltage too high error", "power supply interrupted warning",
      "power supply interrupted error", "no load warning", "no load error", "overload warning",
      "overload error", "overheat warning", "overheat error",
    ]
    if Int(code) < words.count { return words[Int(code)] }
    return code >= 0x80 ? "vendor fault \(code)" : "fault \(code)"
  }
}

/// Names of the specification's models that field networks use most.
enum ModelNames {
  static func name(of id: UInt16) -> String? {
    switch id {
    case 0x0000: "configuration server"
    case 0x0001: "configuration client"
    case 0x0002: "health server"
    case 0x0003: "health client"
    case 0x0004: "remote provisioning server"
    case 0x0005: "remote provisioning client"
    case 0x000A: "private beacon server"
    case 0x000B: "private beacon client"
    case 0x000E: "SAR configuration server"
    case 0x000F: "SAR configuration client"
    case 0x1000: "generic OnOff server"
    case 0x1001: "generic OnOff client"
    case 0x1002: "generic level server"
    case 0x1003: "generic level client"
    case 0x1004: "generic default transition time server"
    case 0x1005: "generic default transition time client"
    case 0x1006: "generic power OnOff server"
    case 0x1007: "generic power OnOff setup server"
    case 0x1008: "generic power OnOff client"
    case 0x1009: "generic power level server"
    case 0x100B: "generic power level client"
    case 0x100C: "generic battery server"
    case 0x100D: "generic battery client"
    case 0x100E: "generic location server"
    case 0x1010: "generic location client"
    case 0x1100: "sensor server"
    case 0x1102: "sensor client"
    case 0x1200: "time server"
    case 0x1203: "scene server"
    case 0x1205: "scene client"
    case 0x1300: "light lightness server"
    case 0x1302: "light lightness client"
    case 0x1303: "light CTL server"
    case 0x1307: "light HSL server"
    case 0x130F: "light LC server"
    case 0x1400: "BLOB transfer server"
    case 0x1401: "BLOB transfer client"
    case 0x1402: "firmware update server"
    case 0x1403: "firmware update client"
    default: nil
    }
  }
}
