import PeatSecurity
import SystemIO

/// What opens the encrypted messages of a mesh: the keys of a keys file (docs/cli.md, "Keys").
///
/// No key is ever part of a description or a message.
public struct MeshSecrets: Sendable {
  let keyring: Keyring

  /// No keys: what is encrypted stays so.
  public init() { keyring = Keyring() }

  /// Reads a keys file; its bytes are wiped from memory behind it.
  ///
  /// - Throws: where it cannot be read, or a line is not understood.
  public init(keysFile path: String) throws {
    var contents = try FileDescriptor.open(readOnly: path).readAll(limit: 1 << 20)
    var keyring = Keyring()
    keyring.add(try KeysFile(wiping: &contents, file: path))
    self.keyring = keyring
  }
}
