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

  /// Whether everybody knows it: all bytes are equal or count up, or it is one of the
  /// specification's examples (Mesh Protocol 1.1, 8.1).
  package var isTrivial: Bool {
    bytes.withSpan { span in
      let copy = [UInt8](span)
      let steps = zip(copy, copy.dropFirst()).map { $1 &- $0 }
      return steps.allSatisfy { $0 == 0 } || steps.allSatisfy { $0 == 1 }
        || MeshKey.examples.contains(copy)
    }
  }

  private static let examples: [[UInt8]] = [
    "7dd7364cd842ad18c17c2b820c84c3d6", "63964771734fbd76e3b40519d1d94a48",
    "9d6dd0e96eb25dc19a40ed9914f8f03f", "f7a2a44f8e8a8029064f173ddc1e2b00",
    "3216d1509884b533248541792b877f98", "37c612c4a2d337cb7b98355531b3617f",
  ].compactMap { Hexadecimal.bytes($0) }

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
