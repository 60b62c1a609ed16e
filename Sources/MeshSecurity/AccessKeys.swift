package import BluetoothMesh

/// What an upper transport PDU was sealed with and for (Mesh Protocol 1.1, 3.6.2).
package struct UpperTransportContext: Sendable, Equatable {
  /// The sequence number of the whole message.
  package var sequence: UInt32
  /// The sender.
  package var source: MeshAddress
  /// The receiver.
  package var destination: MeshAddress
  /// The IV index.
  package var ivIndex: UInt32
  /// Whether the integrity code has eight bytes.
  package var hasLongCode: Bool

  /// Makes a context.
  package init(
    sequence: UInt32, source: MeshAddress, destination: MeshAddress, ivIndex: UInt32,
    hasLongCode: Bool
  ) {
    self.sequence = sequence
    self.source = source
    self.destination = destination
    self.ivIndex = ivIndex
    self.hasLongCode = hasLongCode
  }

  /// The nonce under a key of one of the two kinds.
  package func nonce(isDeviceKey: Bool) -> [UInt8] {
    MeshNonce.access(
      isDeviceKey: isDeviceKey, hasLongCode: hasLongCode, sequence: sequence, source: source,
      destination: destination, ivIndex: ivIndex)
  }

  /// Opens a message with a key; nil where it is not the one.
  package func open(
    _ sealed: [UInt8], with key: MeshKey, isDeviceKey: Bool, label: VirtualLabel? = nil
  ) -> [UInt8]? {
    Libcrypto.open(
      key, nonce: nonce(isDeviceKey: isDeviceKey), added: label?.uuid ?? [], sealed: sealed,
      codeLength: hasLongCode ? 8 : 4)
  }
}

/// The UUID behind a virtual address (3.4.2.3).
package struct VirtualLabel: Sendable, Hashable {
  /// Its 16 bytes.
  package let uuid: [UInt8]
  /// The address that stands for it; several labels may have the same.
  package let address: MeshAddress

  /// Derives the address; nil unless there are 16 bytes.
  package init?(_ uuid: [UInt8]) throws(CryptoFailure) {
    guard uuid.count == 16 else { return nil }
    self.uuid = uuid
    let salt = MeshKey(made: try MeshFunctions.s1(Array("vtad".utf8)))
    let hash = try Libcrypto.cmac(salt, uuid)
    address = MeshAddress(0x8000 | (UInt16(hash[14]) << 8 | UInt16(hash[15])) & 0x3FFF)
  }
}
