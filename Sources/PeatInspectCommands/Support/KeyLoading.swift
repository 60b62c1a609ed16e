import CommandLineOptions
import MeshDissection
import MeshSecurity
import PeatSecurity
import SystemIO
import WireBytes

/// The secrets that the command line names.
struct KeyLoading {
  /// More than any keys file needs; a capture given by mistake is not read to its end.
  private static let sizeLimit = 1 << 20

  /// A keys file that is longer than any can be.
  struct TooLong: Error, CustomStringConvertible {
    var path: String

    var description: String {
      "\(path): is longer than \(KeyLoading.sizeLimit >> 20) MiB, more than any keys file"
    }
  }

  /// Bytes of a mesh's configuration database.
  private static let databaseLimit = 4 << 20

  private(set) var keyring = Keyring()
  /// Keys and names of Bluetooth meshes.
  private(set) var meshes = MeshKeys()
  private(set) var warnings: [String] = []
  /// The secrets of mesh encryption by mesh id, for a node that encrypts itself.
  private(set) var meshSecrets: [String: SecretKey] = [:]

  /// Reads every keys file, and the mesh given on the command line itself.
  init(_ raw: RawOptions) throws {
    if let made = raw.anonymize.made { keyring = made.keyring }
    if raw.keys.isEmpty && raw.mesh == nil && raw.secret == nil && raw.databases.isEmpty { return }
    CoreDumps.disable()
    for path in raw.keys {
      let descriptor =
        path == "-" ? FileDescriptor.standardInput : try FileDescriptor.open(readOnly: path)
      if let warning = KeysFile.warning(mode: try descriptor.status().mode, file: path),
        path != "-"
      {
        warnings.append(warning)
      }
      var contents = try descriptor.readAll(limit: KeyLoading.sizeLimit + 1)
      guard contents.count <= KeyLoading.sizeLimit else {
        for index in contents.indices { contents[index] = 0 }
        throw TooLong(path: path)
      }
      let file = try KeysFile(wiping: &contents, file: path)
      keyring.add(file)
      for entry in file.entries { try note(entry) }
    }
    for path in raw.databases { try addDatabase(path) }
    try addMesh(raw)
  }

  /// Reads the configuration database of a Bluetooth mesh.
  private mutating func addDatabase(_ path: String) throws {
    let descriptor =
      path == "-" ? FileDescriptor.standardInput : try FileDescriptor.open(readOnly: path)
    if path != "-",
      let warning = KeysFile.warning(mode: try descriptor.status().mode, file: path)
    {
      warnings.append(warning)
    }
    var contents = try descriptor.readAll(limit: KeyLoading.databaseLimit + 1)
    defer { for index in contents.indices { contents[index] = 0 } }
    guard contents.count <= KeyLoading.databaseLimit else {
      throw DatabaseFault(
        path: path,
        text: "is longer than \(KeyLoading.databaseLimit >> 20) MiB, more than any mesh's database")
    }
    // A byte order mark, as some editors put at the start of a file.
    if contents.starts(with: [0xEF, 0xBB, 0xBF]) {
      for index in 0..<3 { contents[index] = 0x20 }
    }
    do {
      try meshes.add(MeshDatabase(contents.rawBytes))
    } catch let fault as MeshDatabaseFault {
      throw DatabaseFault(path: path, text: "\(fault.text) (at byte \(fault.offset))")
    } catch {
      throw DatabaseFault(path: path, text: "libcrypto does not work")
    }
  }

  /// A file that is no configuration database. Nothing of it is repeated.
  struct DatabaseFault: Error, CustomStringConvertible {
    var path: String
    var text: String

    var description: String { "\(path): \(text)" }
  }

  private mutating func note(_ entry: KeysFile.Entry) throws {
    switch entry {
    case .mesh(let id, let secret): meshSecrets[id] = secret
    case .genesis(let mesh): meshSecrets[mesh.meshID] = mesh.encryptionSecret()
    case .database(let path): try addDatabase(path)
    case .provisioning(let key): meshes.add(privateKey: key)
    case .peer, .session, .irk, .identity, .authority, .beacon: break
    }
  }

  private mutating func addMesh(_ raw: RawOptions) throws(UsageError) {
    switch (raw.mesh ?? (raw.secret == nil ? nil : raw.defaultMesh), raw.secret) {
    case (nil, nil): return
    case (.some, nil): throw UsageError("--mesh needs --secret", advice: "or a file with --keys")
    case (nil, .some): throw UsageError("--secret needs --mesh ID")
    case (let mesh?, let secret?):
      guard let bytes = Hexadecimal.bytes(secret), let key = SecretKey(bytes) else {
        throw UsageError("--secret: expected 64 hexadecimal digits")
      }
      keyring.addMesh(id: mesh, secret: key)
      meshSecrets[mesh] = key
      warnings.append(
        "others on this machine can see --secret in the process list; --keys FILE keeps it private")
    }
  }
}
