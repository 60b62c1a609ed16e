package import PeatProtocol

extension Keyring: MessageOpener {
  /// Tries every mesh key (protocol.md 6.1).
  package mutating func open(_ frame: EncryptedFrame) -> OpenOutcome {
    guard !meshes.isEmpty else { return .unopened(.noKey) }
    if let plaintext = meshes[lastMesh].cipher.open(frame) {
      return .opened(plaintext: plaintext, key: meshes[lastMesh].name)
    }
    for index in meshes.indices where index != lastMesh {
      if let plaintext = meshes[index].cipher.open(frame) {
        lastMesh = index
        return .opened(plaintext: plaintext, key: meshes[index].name)
      }
    }
    let isDamaged = meshes.contains {
      $0.cipher.decryptUnchecked(frame).map(isCredible) ?? false
    }
    return .unopened(isDamaged ? .tagMismatch : .noKeyOpens)
  }

  /// Tries the session keys of both nodes: those given, and those that follow from a private key
  /// of either and the public keys that the other was seen to offer (protocol.md 6.2).
  package mutating func open(_ message: PeerMessage) -> OpenOutcome {
    guard peers.mayOpen(between: message.sender, and: message.recipient) else {
      return .unopened(.noKey)
    }
    let candidates = peers.candidates(for: message)
    for candidate in candidates {
      let plaintext = ChaChaPoly.open(
        message.ciphertext, tag: message.tag, key: candidate.key, nonce: message.nonce)
      if let plaintext { return .opened(plaintext: plaintext, key: candidate.name) }
    }
    let isDamaged = candidates.contains {
      ChaChaPoly.decryptUnchecked(message.ciphertext, key: $0.key, nonce: message.nonce)
        .map(isCredible) ?? false
    }
    return .unopened(isDamaged ? .tagMismatch : .noKeyOpens)
  }

  /// Tries every beacon key (protocol.md 1.5).
  package mutating func open(beacon: [UInt8]) -> BeaconOutcome {
    guard beacon.count >= EncryptedBeacon.size else { return .unopened(.tooShort) }
    guard !beacons.isEmpty else { return .unopened(.noKey) }
    for entry in beacons {
      if let opened = EncryptedBeacon(beacon, key: entry.key) {
        return .opened(node: opened.node, key: entry.name)
      }
    }
    return .unopened(.noKeyOpens)
  }

  /// Remembers an offered public key, if a private key is known that it could be paired with.
  package mutating func observe(_ exchange: KeyExchange) { peers.observe(exchange) }

  /// Checks a signature with every key known for the node (protocol.md 6.4).
  package mutating func check(
    signature: [UInt8], over signed: [UInt8], by node: NodeID
  ) -> SignatureCheck {
    guard let keys = identities[node], !keys.isEmpty else { return .unchecked }
    let isValid = keys.contains {
      Ed25519.isValid(signature: signature, of: signed, publicKey: $0)
    }
    return isValid ? .valid : .invalid
  }

  /// The rule for telling changed bytes from a wrong key: a plain document whose structure is
  /// whole, as protocol.md 2.9 asks, or a delta document that decodes to its last byte.
  package static let isCredibleMessage: Credibility = { bytes in
    if bytes.first == FrameMarker.delta.rawValue, let delta = try? DeltaReading(bytes: bytes) {
      return delta.trailing.isEmpty
    }
    // Bytes have no padding, so their raw view is wholly initialised.
    return unsafe Document.isCredible(bytes.span.bytes)
  }
}
