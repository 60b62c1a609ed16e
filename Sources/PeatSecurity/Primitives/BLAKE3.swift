internal import WireBytes

/// The BLAKE3 hash function in its three modes (BLAKE3 specification, "one function, fast
/// everywhere", sections 2.1 to 2.6); inputs and outputs of any length.
package struct BLAKE3 {
  /// Bytes of the default output.
  package static let defaultOutput: Int = 32
  private static let blockSize = 64
  private static let chunkSize = 1024

  private let key: Words8
  private let mode: UInt32
  /// Roots of the finished subtrees to the left, the largest first (section 2.1).
  private var subtrees: [Words8] = []
  private var finishedChunks: UInt64 = 0
  private var chaining: Words8
  private var block: [UInt8] = []
  private var blocksInChunk = 0

  private init(key: Words8, mode: UInt32) {
    self.key = key
    self.mode = mode
    chaining = key
    block.reserveCapacity(Self.blockSize)
  }

  /// Starts the plain hash.
  package init() { self.init(key: BLAKE3Compression.initial, mode: 0) }

  /// Starts the keyed hash.
  package init(key: SecretKey) {
    self.init(key: key.withSpan { Self.words($0) }, mode: Flags.keyedHash)
  }

  /// Starts the derivation of keys from material that is absorbed next; `context` is a constant.
  package init(derivingFor context: String) {
    var hasher = BLAKE3(key: BLAKE3Compression.initial, mode: Flags.deriveKeyContext)
    hasher.absorb(Array(context.utf8))
    let contextKey = hasher.output(Self.defaultOutput)
    // Every byte of an array of bytes is initialised.
    self.init(key: unsafe Self.words(contextKey.span.bytes), mode: Flags.deriveKeyMaterial)
  }

  /// Takes in more input.
  package mutating func absorb(_ input: [UInt8]) {
    // Every byte of an array of bytes is initialised.
    unsafe absorb(input.span.bytes)
  }

  /// Takes in more input.
  package mutating func absorb(_ input: RawSpan) {
    var reader = ByteReader(input, layer: .peat)
    while let byte = reader.peek() {
      // A full block is compressed only when more input follows: the last one is special.
      if block.count == Self.blockSize { finishBlock() }
      block.append(byte)
      guard (try? reader.skip(1)) != nil else { break }
    }
  }

  /// The first `count` bytes of the output for everything absorbed so far.
  package func output(_ count: Int = defaultOutput) -> [UInt8] {
    var node = lastNode
    for subtree in subtrees.reversed() {
      node = parent(subtree, node.chainingValue)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var counter: UInt64 = 0
    while bytes.count < count {
      let words = node.rootOutput(counter)
      for index in words.indices {
        for shift: UInt32 in [0, 8, 16, 24] where bytes.count < count {
          bytes.append(UInt8(truncatingIfNeeded: words[index] >> shift))
        }
      }
      counter &+= 1
    }
    return bytes
  }

  // MARK: - One call

  /// The hash of `input`.
  package static func hash(_ input: [UInt8], count: Int = defaultOutput) -> [UInt8] {
    var hasher = BLAKE3()
    hasher.absorb(input)
    return hasher.output(count)
  }

  /// The hash of `input` under a key.
  package static func keyedHash(
    _ input: [UInt8], key: SecretKey, count: Int = defaultOutput
  ) -> [UInt8] {
    var hasher = BLAKE3(key: key)
    hasher.absorb(input)
    return hasher.output(count)
  }

  /// A key derived from a seed for one purpose.
  package static func derivedKey(context: String, from seed: SecretKey) -> SecretKey {
    var hasher = BLAKE3(derivingFor: context)
    seed.withSpan { hasher.absorb($0) }
    var output = hasher.output(SecretKey.size)
    defer { Sodium.wipe(&output) }
    return SecretKey(exactly: output)
  }

  // MARK: - The tree

  /// The node of the bytes that no finished chunk or block holds.
  private var lastNode: Node {
    Node(
      chaining: chaining, block: Self.blockWords(block), counter: finishedChunks,
      length: UInt32(block.count), flags: mode | startFlag | Flags.chunkEnd)
  }

  private var startFlag: UInt32 { blocksInChunk == 0 ? Flags.chunkStart : 0 }

  private mutating func finishBlock() {
    if (blocksInChunk + 1) * Self.blockSize == Self.chunkSize {
      finishChunk()
    } else {
      let node = Node(
        chaining: chaining, block: Self.blockWords(block), counter: finishedChunks,
        length: UInt32(Self.blockSize), flags: mode | startFlag)
      chaining = node.chainingValue
      blocksInChunk += 1
    }
    block.removeAll(keepingCapacity: true)
  }

  /// Joins the chunk to the subtrees that it completes: one for each factor 2 of their number.
  private mutating func finishChunk() {
    var value = lastNode.chainingValue
    finishedChunks &+= 1
    var rest = finishedChunks
    while rest & 1 == 0, let left = subtrees.popLast() {
      value = parent(left, value).chainingValue
      rest >>= 1
    }
    subtrees.append(value)
    chaining = key
    blocksInChunk = 0
  }

  private func parent(_ left: Words8, _ right: Words8) -> Node {
    var words = Words16(repeating: 0)
    for index in left.indices {
      words[index] = left[index]
      words[index + 8] = right[index]
    }
    return Node(
      chaining: key, block: words, counter: 0, length: UInt32(Self.blockSize),
      flags: mode | Flags.parent)
  }

  private static func words(_ span: RawSpan) -> Words8 {
    var reader = ByteReader(span, layer: .peat)
    var words = Words8(repeating: 0)
    for index in words.indices { words[index] = (try? reader.le32()) ?? 0 }
    return words
  }

  private static func blockWords(_ bytes: [UInt8]) -> Words16 {
    var words = Words16(repeating: 0)
    for (index, byte) in bytes.enumerated() {
      words[index >> 2] |= UInt32(byte) << UInt32(8 * (index & 3))
    }
    return words
  }
}
