package import BluetoothMesh
package import PeatSecurity
internal import WireBytes

/// The keys of one provisioning, where one end's private key is known (Mesh Protocol 1.1, 5.4.2).
package struct ProvisioningSession: Sendable {
  private let secret: SecretBytes
  private let algorithm: UInt8
  private let inputs: [UInt8]

  /// - Parameters:
  ///   - algorithm: 0 for CMAC, 1 for HMAC-SHA256, as Start says.
  ///   - inputs: the parameters of Invite, Capabilities and Start, and both public keys.
  package init(secret: SecretBytes, algorithm: UInt8, inputs: [UInt8]) {
    self.secret = secret
    self.algorithm = algorithm
    self.inputs = inputs
  }

  /// The secret of a private key and the other end's public key; nil where that is no point.
  package static func secret(_ privateKey: [UInt8], peer: [UInt8]) -> SecretBytes? {
    (try? Libcrypto.sharedSecret(privateKey, with: peer)).map { SecretBytes($0) }
  }

  /// The public key of a private one, so that it shows which end it belongs to.
  package static func publicKey(of privateKey: [UInt8]) -> [UInt8]? {
    try? Libcrypto.publicKey(of: privateKey)
  }

  private var confirmationSalt: [UInt8] {
    get throws(CryptoFailure) {
      algorithm == 0 ? try MeshFunctions.s1(inputs) : try MeshFunctions.s2(inputs)
    }
  }

  /// What an end confirms its random number with.
  package func confirmation(
    random: [UInt8], authentication: [UInt8]
  ) throws(CryptoFailure) -> [UInt8] {
    let salt = try confirmationSalt
    if algorithm == 0 {
      let key = try MeshFunctions.k1(secret.copy(), salt: salt, Array("prck".utf8))
      return try Libcrypto.cmac(MeshKey(made: key), random + authentication)
    }
    let key = try MeshFunctions.k5(
      secret.copy() + authentication, salt: salt, Array("prck256".utf8))
    return try Libcrypto.hmac(key: key, random)
  }

  /// What both random numbers make of the secret.
  package struct Keys: Sendable {
    package let session: MeshKey
    package let nonce: [UInt8]
    package let device: MeshKey

    package init(session: MeshKey, nonce: [UInt8], device: MeshKey) {
      self.session = session
      self.nonce = nonce
      self.device = device
    }

    /// Opens the PDU of the data: the net key, and what follows it.
    package func open(_ sealed: [UInt8]) -> (key: MeshKey, data: ProvisioningData)? {
      guard let clear = Libcrypto.open(session, nonce: nonce, sealed: sealed, codeLength: 8),
        clear.count == ProvisioningData.size, let key = MeshKey(Array(clear.prefix(16)))
      else { return nil }
      let rest = Array(clear.dropFirst(16))
      var reader = ByteReader(rest.rawBytes, layer: .mesh)
      return (try? ProvisioningData(behindKey: &reader)).map { (key, $0) }
    }
  }

  /// The keys; the salt is CMAC's with either algorithm.
  package func keys(provisioner: [UInt8], device: [UInt8]) throws(CryptoFailure) -> Keys {
    let salt = try MeshFunctions.s1(try confirmationSalt + provisioner + device)
    let secret = secret.copy()
    return Keys(
      session: MeshKey(made: try MeshFunctions.k1(secret, salt: salt, Array("prsk".utf8))),
      nonce: Array(try MeshFunctions.k1(secret, salt: salt, Array("prsn".utf8)).suffix(13)),
      device: MeshKey(made: try MeshFunctions.k1(secret, salt: salt, Array("prdk".utf8))))
  }
}
