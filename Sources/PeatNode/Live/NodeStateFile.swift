package import BluetoothProtocols
package import PeatProtocol
package import SystemIO
import WireBytes

/// What a node keeps between its lives (protocol.md 8.7).
package struct NodeState: Sendable, Equatable {
  /// Its id.
  package var node: NodeID
  /// Its static random address.
  package var address: DeviceAddress
  /// Its own count.
  package var count: UInt64
  /// Its document's version.
  package var version: UInt32
  /// The position that it was told; nil where it was told none.
  package var location: Location?
  /// The charge of its battery in per cent; nil where it was told none.
  package var battery: UInt8?

  /// Makes the state of a node that never lived.
  package init(node: NodeID, address: DeviceAddress) {
    self.node = node
    self.address = address
    count = 0
    version = 1
  }

  /// A new id and address at random. The two top bits of a static address are set
  /// (Core Specification Vol 6 Part B, 1.3.2.1).
  package static func random() -> NodeState {
    NodeState(
      node: NodeID(rawValue: .random(in: 1 ... .max)),
      address: DeviceAddress(value: .random(in: 1..<(1 << 46)) | 3 << 46))
  }

  static let heading = "peat-inspect node 1"

  var text: String {
    var text = "\(NodeState.heading)\nnode \(node)\naddress \(address)\n"
    text += "counter \(count)\nversion \(version)\n"
    if let location {
      let altitude = location.altitude.map { " \($0)" } ?? ""
      text += "position \(location.latitude) \(location.longitude)\(altitude)\n"
    }
    if let battery { text += "battery \(battery)\n" }
    return text
  }

  /// Reads what `text` writes; nil where a line is missing or wrong.
  init?(_ text: String) {
    let lines = text.split(separator: "\n")
    guard lines.first == NodeState.heading[...] else { return nil }
    var values: [Substring: Substring] = [:]
    for line in lines.dropFirst() {
      guard let space = line.firstIndex(of: " ") else { return nil }
      values[line[..<space]] = line[line.index(after: space)...]
    }
    guard let node = values["node"].flatMap({ NodeID($0) }),
      let address = values["address"].flatMap({ DeviceAddress($0) }),
      let count = values["counter"].flatMap({ UInt64($0) }),
      let version = values["version"].flatMap({ UInt32($0) })
    else { return nil }
    self.init(node: node, address: address)
    self.count = count
    self.version = version
    // Both came later: a state without them is whole.
    if let text = values["position"] {
      guard case .position(let location)? = try? NodeOrder.parse("position \(text)") else {
        return nil
      }
      self.location = location
    }
    if let text = values["battery"] {
      guard case .battery(let percent)? = try? NodeOrder.parse("battery \(text)") else {
        return nil
      }
      battery = percent
    }
  }
}

/// A node's state on disk: `$XDG_STATE_HOME/peat-inspect/NAME`, locked while the node lives, written
/// whole or not at all.
package struct NodeStateFile: ~Copyable {
  /// Why a state file cannot be used.
  package enum Failure: Error, Equatable {
    /// Another process has the node.
    case inUse(String)
    /// The file is no state of a node.
    case unreadable(String)
    /// The system refused a call.
    case system(Errno)
    /// Neither `XDG_STATE_HOME` nor `HOME` says where.
    case noPlace
  }

  /// Bytes that a state file has at most.
  private static let sizeLimit = 4_096

  /// Where it is.
  package let path: String
  private let lock: FileDescriptor
  /// What the file holds; nil where there was none.
  package private(set) var state: NodeState?

  /// Locks and reads the state with a name, of letters, digits and other characters: those that a
  /// file name should not have become their two hexadecimal digits behind a `%`.
  package static func open(
    name: String, environment: Environment
  ) throws(Failure) -> NodeStateFile {
    let folder: String
    if environment.has("XDG_STATE_HOME"), let home = environment["XDG_STATE_HOME"] {
      folder = home + "/peat-inspect"
    } else if environment.has("HOME"), let home = environment["HOME"] {
      folder = home + "/.local/state/peat-inspect"
    } else {
      throw .noPlace
    }
    let path = folder + "/" + fileName(name)
    let lock = try locked(path, in: folder)
    return NodeStateFile(path: path, lock: lock, state: try read(path))
  }

  private init(path: String, lock: consuming FileDescriptor, state: NodeState?) {
    self.path = path
    self.lock = lock
    self.state = state
  }

  private static func locked(
    _ path: String, in folder: String
  ) throws(Failure) -> FileDescriptor {
    do throws(Errno) {
      try FileDescriptor.makeFolders(folder)
      return try FileDescriptor.open(locking: path + ".lock")
    } catch {
      throw error.isLocked ? .inUse(path) : .system(error)
    }
  }

  private static func read(_ path: String) throws(Failure) -> NodeState? {
    let bytes: [UInt8]
    do throws(Errno) {
      let file = try FileDescriptor.open(readOnly: path)
      bytes = try file.readAll(limit: NodeStateFile.sizeLimit)
    } catch {
      if error.isMissingFile { return nil }
      throw .system(error)
    }
    guard let state = NodeState(String(decoding: bytes, as: UTF8.self)) else {
      throw .unreadable(path)
    }
    return state
  }

  /// Writes the state, where it is another than the one written last.
  package mutating func save(_ new: NodeState) throws(Errno) {
    guard new != state else { return }
    let file = try AtomicOutputFile(path: path)
    let sink = file.sink()
    try sink.append(new.text)
    try sink.flush()
    try file.commit()
    state = new
  }

  static func fileName(_ name: String) -> String {
    var text = ""
    for byte in name.utf8.prefix(100) {
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x5F
      text +=
        isPlain ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.upper(UInt64(byte), width: 2)
    }
    return text
  }
}
