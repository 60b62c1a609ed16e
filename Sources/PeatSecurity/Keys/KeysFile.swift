package import PeatProtocol

/// The secrets of a keys file, one entry a line (the command's `--keys` option).
package struct KeysFile: Sendable, Equatable {
  /// One line.
  package enum Entry: Sendable, Equatable {
    /// `mesh ID secret HEX`: the secret of 0xAE frames and encrypted beacons.
    case mesh(id: String, secret: SecretKey)
    /// `genesis NAME seed HEX`: mesh id, secret and beacon key follow (protocol.md 6.5).
    case genesis(GenesisMesh)
    /// `peer NODE private HEX`: opens the sessions of this node (protocol.md 6.2).
    case peer(NodeID, privateKey: SecretKey)
    /// `session NODE NODE key HEX`: a known session key.
    case session(NodeID, NodeID, key: SecretKey)
    /// `irk ADDRESS HEX`: resolves private addresses.
    case irk(IdentityResolvingKey)
    /// `identity NODE public HEX`: an Ed25519 key of 32 bytes (protocol.md 6.4).
    case identity(NodeID, publicKey: [UInt8])
    /// `authority public HEX`: an Ed25519 key of 32 bytes (protocol.md 6.6).
    case authority(publicKey: [UInt8])
    /// `beacon ID key HEX`: the key of a mesh's encrypted beacons (protocol.md 1.5).
    case beacon(id: String, key: SecretKey)
    /// `cdb PATH`: the configuration database of a Bluetooth mesh.
    case database(path: String)
    /// `provisioning private HEX`: one end's key of a provisioning, on P-256.
    case provisioning(privateKey: SecretBytes)
  }

  /// The entries in the order of the file.
  package let entries: [Entry]

  /// Reads a whole file and wipes `contents`, whether it could be read or not.
  ///
  /// `file` is its name in errors. A `#` at the start of a line or behind a space begins a
  /// comment; a mesh id or name may contain spaces.
  ///
  /// - Throws: ``KeysFileError`` at the first line that is no entry.
  package init(wiping contents: inout [UInt8], file: String) throws(KeysFileError) {
    // Wiped only when the slices of it are gone: they would keep the original alive.
    defer { Sodium.wipe(&contents) }
    entries = try Self.entries(contents, file: file)
  }

  private static func entries(
    _ contents: [UInt8], file: String
  ) throws(KeysFileError) -> [Entry] {
    var entries: [Entry] = []
    let lines = contents.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      do throws(KeysFileLine.Expectation) {
        if let entry = try KeysFileLine(line).entry() { entries.append(entry) }
      } catch {
        throw KeysFileError(file: file, line: index + 1, expected: error.text)
      }
    }
    return entries
  }

  /// A warning for a file that others than its owner can read; nil for one kept private.
  ///
  /// `mode` is the file's mode as stat(2) gives it.
  package static func warning(mode: UInt32, file: String) -> String? {
    let permissions = mode & 0o777
    guard permissions & 0o044 != 0 else { return nil }
    let who =
      switch permissions & 0o044 {
      case 0o040: "its group"
      case 0o004: "everyone outside its group"
      default: "its group and everyone else"
      }
    return "\(file) can be read by \(who) (mode \(String(permissions, radix: 8))); "
      + "chmod 600 keeps the secrets private"
  }
}

/// A line of a keys file that is no entry. Nothing of the line itself is repeated.
package struct KeysFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file's name as given.
  package let file: String
  /// Counted from 1.
  package let line: Int
  /// What should have been there.
  package let expected: String

  /// Makes an error from its parts.
  package init(file: String, line: Int, expected: String) {
    self.file = file
    self.line = line
    self.expected = expected
  }

  /// `FILE:LINE: expected …`.
  package var description: String { "\(file):\(line): expected \(expected)" }
}
