import BluetoothProtocols
import PeatDissection
import SystemIO
import WireBytes

/// Document handles by peer address, kept in a file between runs (`--bond-cache`).
///
/// A text file: a first line that names it, then one handle a line: address, whose server it is
/// (`peer` or `local`), handle, characteristic, service, `-` where one is not known; then the
/// database hash, where it was read.
struct BondCache {
  private static let title = "# peat-inspect bond cache 1"
  /// Bytes of a cache file; of a longer one, the run ends with a word.
  private static let sizeLimit = 1 << 20
  /// Handles that are read and kept; the run says how many were left out.
  private static let entryLimit = 8192

  /// Why a file is not taken for a bond cache, which would be overwritten.
  struct Refusal: Error, CustomStringConvertible {
    var path: String
    var line: Int
    var reason: String

    var description: String { "\(path): line \(line): \(reason)" }
  }

  private let path: String
  private let before: [RememberedHandle]
  /// Handles of the file that were not taken, as there were too many.
  private let unread: Int

  /// The handles that the file held.
  var handles: [RememberedHandle] { before }

  /// Reads the file; one that does not exist is empty.
  init(path: String) throws {
    self.path = path
    let bytes = try BondCache.contents(path)
    let all = try BondCache.parse(String(decoding: bytes, as: UTF8.self), path: path)
    before = Array(all.prefix(BondCache.entryLimit))
    unread = all.count - before.count
  }

  private static func contents(_ path: String) throws(Errno) -> [UInt8] {
    do throws(Errno) {
      let descriptor = try FileDescriptor.open(readOnly: path)
      return try descriptor.readAll(limit: sizeLimit)
    } catch  where error.isMissingFile {
      return []
    }
  }

  static func parse(_ text: String, path: String) throws(Refusal) -> [RememberedHandle] {
    if text.isEmpty { return [] }
    var handles: [RememberedHandle] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if index == 0 {
        guard line == title else {
          throw Refusal(path: path, line: 1, reason: "no bond cache: expected \"\(title)\"")
        }
        continue
      }
      let words = line.split(separator: " ")
      if words.isEmpty || line.hasPrefix("#") { continue }
      guard let handle = entry(words) else {
        throw Refusal(
          path: path, line: index + 1,
          reason: "expected \"ADDRESS peer|local HANDLE CHARACTERISTIC SERVICE [HASH]\"")
      }
      handles.append(handle)
    }
    return handles
  }

  private static func entry(_ words: [Substring]) -> RememberedHandle? {
    guard words.count == 5 || words.count == 6, let address = DeviceAddress(words[0]),
      words[1] == "peer" || words[1] == "local",
      let hint = HandleText.parse(String(words[2])), hint.address == nil
    else { return nil }
    let characteristic = BluetoothUUID(String(words[3]))
    let service = BluetoothUUID(String(words[4]))
    guard characteristic != nil || words[3] == "-", service != nil || words[4] == "-" else {
      return nil
    }
    var hash: [UInt8]?
    if words.count == 6 {
      guard let bytes = Hexadecimal.bytes(words[5]), bytes.count == 16 else { return nil }
      hash = bytes
    }
    return RememberedHandle(
      address: address, isLocalServer: words[1] == "local", handle: hint.handle,
      characteristic: characteristic, service: service, databaseHash: hash)
  }

  /// Writes what was found over what was known; a server that was discovered anew replaces its
  /// older entries. Nothing is written where nothing changed.
  ///
  /// - Parameter isOutdated: whether a handle that was known holds no longer.
  /// - Returns: how many handles are not kept, as there are too many.
  func update(
    with found: [RememberedHandle], isOutdated: (RememberedHandle) -> Bool
  ) throws(Errno) -> Int {
    var after = before.filter { old in
      if isOutdated(old) { return false }
      return
        !found.contains { $0.address == old.address && $0.isLocalServer == old.isLocalServer }
    }
    for handle in found where !after.contains(handle) { after.append(handle) }
    after.sort {
      ($0.address.value, $0.isLocalServer ? 1 : 0, $0.handle)
        < ($1.address.value, $1.isLocalServer ? 1 : 0, $1.handle)
    }
    if after == before { return unread }
    let file = try AtomicOutputFile(path: path)
    let sink = file.sink()
    try sink.append(BondCache.text(Array(after.prefix(BondCache.entryLimit))))
    try sink.flush()
    try file.commit()
    return unread + max(0, after.count - BondCache.entryLimit)
  }

  /// Says of how many handles there is no room for, as `update` gave them.
  static func warning(of leftOut: Int) -> String {
    "more than \(entryLimit) handles for the bond cache: \(leftOut) left out"
  }

  static func text(_ handles: [RememberedHandle]) -> String {
    var text = title + "\n"
    for handle in handles {
      let number = String(handle.handle, radix: 16, uppercase: true)
      let padded = String(repeating: "0", count: 4 - number.count) + number
      text += "\(handle.address) \(handle.isLocalServer ? "local" : "peer") 0x\(padded) "
      text += "\(handle.characteristic?.description ?? "-") \(handle.service?.description ?? "-")"
      if let hash = handle.databaseHash { text += " \(Hexadecimal.string(hash))" }
      text += "\n"
    }
    return text
  }
}
