internal import CCrypto
internal import WireBytes

/// libcrypto could not do what it was asked, for want of memory or of an algorithm.
package struct CryptoFailure: Error, Equatable {}

/// The ciphers of the mesh, from libcrypto. No other file sees that library.
package enum Libcrypto {
  /// Bytes of a key.
  static let keySize = 16
  /// Bytes of a nonce of CCM.
  static let nonceSize = 13

  /// One block of AES-128.
  static func block(_ key: MeshKey, _ input: [UInt8]) throws(CryptoFailure) -> [UInt8] {
    guard input.count == keySize else { throw CryptoFailure() }
    return try unsafe made(keySize) { output in
      // Key and input have 16 bytes, and so has the output.
      unsafe key.withPointer { unsafe peat_aes_block($0, input, output) }
    }
  }

  /// AES-CMAC (RFC 4493).
  static func cmac(_ key: MeshKey, _ data: [UInt8]) throws(CryptoFailure) -> [UInt8] {
    try unsafe made(keySize) { output in
      // The call reads exactly the bytes of the array and writes 16.
      unsafe key.withPointer { unsafe peat_cmac($0, data, data.count, output) }
    }
  }

  /// AES-CCM (RFC 3610): the sealed bytes and the code of `codeLength` bytes.
  package static func seal(
    _ key: MeshKey, nonce: [UInt8], added: [UInt8] = [], plain: [UInt8], codeLength: Int
  ) throws(CryptoFailure) -> [UInt8] {
    guard nonce.count == nonceSize, codeLength == 4 || codeLength == 8 else {
      throw CryptoFailure()
    }
    return try unsafe made(plain.count + codeLength) { output in
      unsafe key.withPointer {
        // The call writes the length of the input and of the code.
        unsafe peat_ccm_seal(
          $0, nonce, added, added.count, plain, plain.count, codeLength, output)
      }
    }
  }

  /// Opens what `seal` makes; nil where the code is wrong.
  package static func open(
    _ key: MeshKey, nonce: [UInt8], added: [UInt8] = [], sealed: [UInt8], codeLength: Int
  ) -> [UInt8]? {
    guard nonce.count == nonceSize, codeLength == 4 || codeLength == 8,
      sealed.count > codeLength
    else { return nil }
    let size = sealed.count - codeLength
    return try? unsafe made(size) { output in
      unsafe key.withPointer {
        // The call reads `size` bytes and the code behind them, and writes `size`.
        unsafe peat_ccm_open($0, nonce, added, added.count, sealed, size, codeLength, output)
      }
    }
  }

  /// HMAC-SHA256.
  static func hmac(key: [UInt8], _ data: [UInt8]) throws(CryptoFailure) -> [UInt8] {
    try unsafe made(32) { output in
      // The call reads exactly the bytes of both arrays and writes 32.
      unsafe peat_hmac_sha256(key, key.count, data, data.count, output)
    }
  }

  /// X and Y of a private key's point on P-256.
  static func publicKey(of privateKey: [UInt8]) throws(CryptoFailure) -> [UInt8] {
    guard privateKey.count == 32 else { throw CryptoFailure() }
    return try unsafe made(64) { output in
      // The call reads 32 bytes and writes 64.
      unsafe peat_p256_multiply(privateKey, nil, output)
    }
  }

  /// The secret that two ends share: X of one's private key times the other's point.
  static func sharedSecret(
    _ privateKey: [UInt8], with point: [UInt8]
  ) throws(CryptoFailure) -> [UInt8] {
    guard privateKey.count == 32, point.count == 64 else { throw CryptoFailure() }
    let product = try unsafe made(64) { output in
      // The call reads 32 and 64 bytes and writes 64.
      unsafe peat_p256_multiply(privateKey, point, output)
    }
    return Array(product.prefix(32))
  }

  /// The bytes that `body` writes; it gives 1 where it could.
  private static func made(
    _ count: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int32
  ) throws(CryptoFailure) -> [UInt8] {
    var hasWorked = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      unsafe buffer.initialize(repeating: 0)
      // A buffer of any capacity has an address; of none, nothing is written.
      if let address = buffer.baseAddress { hasWorked = unsafe body(address) == 1 }
      initialized = count
    }
    guard hasWorked else { throw CryptoFailure() }
    return bytes
  }
}
