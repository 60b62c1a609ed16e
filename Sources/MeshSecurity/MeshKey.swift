internal import PeatSecurity
internal import WireBytes

/// A key of the mesh, 16 bytes, that is wiped when its last owner lets go.
package struct MeshKey: Sendable, Equatable {
  let bytes: SecretBytes

  /// Copies the bytes; nil unless there are 16. Wiping the source is the caller's part.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Libcrypto.keySize else { return nil }
    self.bytes = SecretBytes(bytes)
  }

  /// Takes 16 bytes that a function gave.
  init(made bytes: [UInt8]) { self.bytes = SecretBytes(bytes) }

  /// Whether all bytes are equal, as those of keys that someone has made up.
  package var isTrivial: Bool {
    bytes.withSpan { span in
      let copy = [UInt8](span)
      return copy.allSatisfy { $0 == copy.first }
    }
  }

  /// Lends the address of the 16 bytes to `body`, which must not keep it and gives 1 where it could
  /// do what it is for.
  func withPointer(_ body: (UnsafePointer<UInt8>) -> Int32) -> Int32 {
    bytes.withSpan { span in
      unsafe span.withUnsafeBytes { buffer in
        // A secret of 16 bytes has an address.
        guard let address = buffer.baseAddress else { return 0 }
        return unsafe body(address.assumingMemoryBound(to: UInt8.self))
      }
    }
  }
}
