/// Unpacks deflated data piece by piece, from memory or from a source (RFC 1950 to 1952).
///
/// Two inputs need it: btsnooz, as libarchive does not read bare zlib streams, and cut gzip files,
/// of which libarchive throws the last unpacked 64 KiB away.
struct Inflate {
  /// Why a stream cannot be unpacked any further.
  enum Failure: Error, Sendable, Equatable {
    case cut, notZlib, blockType, storedLength, codeLengths, symbol, distance, checksum

    /// The clause of the error message.
    var reason: String {
      switch self {
      case .cut: "the compressed log is cut"
      case .notZlib: "no zlib header where the compressed log should begin"
      case .checksum: "the compressed log's checksum does not match"
      case .blockType, .storedLength, .codeLengths, .symbol, .distance:
        "the compressed log is damaged"
      }
    }
  }

  private enum Block {
    case none, stored(Int), codes, finished
  }

  private var input: [UInt8]
  private var place: Int
  private let feed: (any ByteSource)?
  private let isGzip: Bool
  /// Bytes that were read from the source.
  private(set) var consumed = 0
  private var bits: UInt64 = 0
  private var bitCount = 0
  private var block = Block.none
  private var isLast = false
  private var literals = HuffmanCode(lengths: [])
  private var distances = HuffmanCode(lengths: [])
  private var history = [UInt8](repeating: 0, count: 32_768)
  private var written = 0
  private var matchLeft = 0
  private var matchDistance = 0
  private var checksumLow: UInt32 = 1
  private var checksumHigh: UInt32 = 0

  /// Begins at `start` of `input`, where a zlib header must lie.
  init(_ input: [UInt8], from start: Int = 0) throws(Failure) {
    guard start + 2 <= input.count else { throw .cut }
    let method = input[start]
    let flags = input[start + 1]
    let isHeader = (Int(method) * 256 + Int(flags)) % 31 == 0
    guard method & 0x0F == 8, method >> 4 <= 7, isHeader, flags & 0x20 == 0 else {
      throw .notZlib
    }
    self.input = input
    place = start + 2
    feed = nil
    isGzip = false
  }

  /// Begins at the gzip header that `source` begins with.
  init(gzip source: any ByteSource) throws(Failure) {
    input = []
    place = 0
    feed = source
    isGzip = true
    try passGzipHeader()
  }

  /// The header of a gzip member: ten bytes, then what its flags announce (RFC 1952, 2.3).
  private mutating func passGzipHeader() throws(Failure) {
    guard try take(16) == 0x8B1F, try take(8) == 8 else { throw .notZlib }
    let flags = try take(8)
    for _ in 0..<6 { _ = try take(8) }
    if flags & 4 != 0 { for _ in 0..<(try take(16)) { _ = try take(8) } }
    if flags & 8 != 0 { while try take(8) != 0 {} }
    if flags & 16 != 0 { while try take(8) != 0 {} }
    if flags & 2 != 0 { _ = try take(16) }
  }

  /// Reads more input where there is a source; false at its end.
  private mutating func refill() -> Bool {
    guard let feed else { return false }
    var more = [UInt8](repeating: 0, count: 1 << 16)
    guard let got = try? feed.read(into: &more, from: 0), got > 0 else { return false }
    more.removeLast(more.count - got)
    input = more
    place = 0
    consumed += got
    return true
  }

  /// Unpacks into `output` from place `start` to its end; returns the new place, the old at the end.
  ///
  /// What was unpacked before a failure stays in `output`: `start` tells how far.
  mutating func unpack(into output: inout [UInt8], from start: inout Int) throws(Failure) {
    while start < output.count {
      if matchLeft > 0 {
        put(history[(written &- matchDistance) & 0x7FFF], &output, &start)
        matchLeft -= 1
        continue
      }
      switch block {
      case .finished: return
      case .none: try beginBlock()
      case .stored(let left):
        if left == 0 {
          try endBlock()
        } else {
          put(UInt8(try take(8)), &output, &start)
          block = .stored(left - 1)
        }
      case .codes:
        let symbol = try decode(literals)
        if symbol < 256 {
          put(UInt8(symbol), &output, &start)
        } else if symbol == 256 {
          try endBlock()
        } else {
          try beginMatch(symbol)
        }
      }
    }
  }

  private mutating func put(_ byte: UInt8, _ output: inout [UInt8], _ start: inout Int) {
    output[start] = byte
    start += 1
    history[written & 0x7FFF] = byte
    written &+= 1
    checksumLow = (checksumLow + UInt32(byte)) % 65_521
    checksumHigh = (checksumHigh + checksumLow) % 65_521
  }

  private mutating func take(_ count: Int) throws(Failure) -> Int {
    while bitCount < count {
      if place == input.count, !refill() { throw .cut }
      bits |= UInt64(input[place]) << UInt64(bitCount)
      place += 1
      bitCount += 8
    }
    let value = Int(bits & ((1 << UInt64(count)) - 1))
    bits >>= UInt64(count)
    bitCount -= count
    return value
  }

  private mutating func alignToByte() {
    let loose = bitCount & 7
    bits >>= UInt64(loose)
    bitCount -= loose
  }

  private mutating func beginBlock() throws(Failure) {
    isLast = try take(1) == 1
    switch try take(2) {
    case 0:
      alignToByte()
      let length = try take(16)
      guard try take(16) == length ^ 0xFFFF else { throw .storedLength }
      block = .stored(length)
    case 1:
      literals = .fixedLiterals
      distances = .fixedDistances
      block = .codes
    case 2:
      try readCodes()
      block = .codes
    default: throw .blockType
    }
  }

  private mutating func endBlock() throws(Failure) {
    guard isLast else {
      block = .none
      return
    }
    alignToByte()
    if isGzip {
      for _ in 0..<8 { _ = try take(8) }
      // Another member may follow; anything else behind the last one is padding.
      if bitCount == 0, place == input.count, !refill() {
        block = .finished
      } else {
        block = .none
        isLast = false
        do { try passGzipHeader() } catch { block = .finished }
      }
      return
    }
    block = .finished
    var stated: UInt32 = 0
    for _ in 0..<4 { stated = stated << 8 | UInt32(try take(8)) }
    guard stated == checksumHigh << 16 | checksumLow else { throw .checksum }
  }

  /// The codes of a dynamic block (RFC 1951, 3.2.7).
  private mutating func readCodes() throws(Failure) {
    let literalCount = try take(5) + 257
    let distanceCount = try take(5) + 1
    let lengthCount = try take(4) + 4
    let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    var lengthLengths = [UInt8](repeating: 0, count: 19)
    for index in 0..<lengthCount { lengthLengths[order[index]] = UInt8(try take(3)) }
    let lengthCode = HuffmanCode(lengths: lengthLengths)
    var lengths: [UInt8] = []
    while lengths.count < literalCount + distanceCount {
      let symbol = try decode(lengthCode)
      switch symbol {
      case 0...15: lengths.append(UInt8(symbol))
      case 16:
        guard let last = lengths.last else { throw .codeLengths }
        lengths.append(contentsOf: repeatElement(last, count: try take(2) + 3))
      case 17: lengths.append(contentsOf: repeatElement(0, count: try take(3) + 3))
      default: lengths.append(contentsOf: repeatElement(0, count: try take(7) + 11))
      }
    }
    guard lengths.count == literalCount + distanceCount, lengths[256] > 0 else {
      throw .codeLengths
    }
    literals = HuffmanCode(lengths: Array(lengths[..<literalCount]))
    distances = HuffmanCode(lengths: Array(lengths[literalCount...]))
    guard literals.isPossible, distances.isPossible else { throw .codeLengths }
  }

  /// Length and distance of a repetition (RFC 1951, 3.2.5).
  private mutating func beginMatch(_ symbol: Int) throws(Failure) {
    let index = symbol - 257
    guard index < 29 else { throw .symbol }
    if index == 28 {
      matchLeft = 258
    } else if index < 8 {
      matchLeft = index + 3
    } else {
      let extra = index / 4 - 1
      matchLeft = (4 + index % 4) << extra + 3 + (try take(extra))
    }
    let code = try decode(distances)
    guard code < 30 else { throw .symbol }
    if code < 4 {
      matchDistance = code + 1
    } else {
      let extra = code / 2 - 1
      matchDistance = (2 + code % 2) << extra + 1 + (try take(extra))
    }
    guard matchDistance <= min(written, 32_768) else { throw .distance }
  }

  /// One symbol, bit by bit: codes of one length are consecutive numbers (RFC 1951, 3.2.2).
  private mutating func decode(_ code: HuffmanCode) throws(Failure) -> Int {
    var value = 0
    var first = 0
    var index = 0
    for length in 1...15 {
      value |= try take(1)
      let count = code.counts[length]
      if value - first < count { return Int(code.symbols[index + value - first]) }
      index += count
      first = (first + count) << 1
      value <<= 1
    }
    throw .symbol
  }
}

/// A canonical Huffman code: how many codes there are of each length, and their symbols in order.
struct HuffmanCode: Sendable {
  var counts = [Int](repeating: 0, count: 16)
  var symbols: [UInt16] = []

  init(lengths: [UInt8]) {
    for length in lengths where length > 0 { counts[Int(length & 15)] += 1 }
    for length in 1...15 {
      for (symbol, own) in lengths.enumerated() where Int(own) == length {
        symbols.append(UInt16(symbol))
      }
    }
  }

  /// Whether no length has more codes than bits can tell apart.
  var isPossible: Bool {
    var left = 1
    for length in 1...15 {
      left = left << 1 - counts[length]
      if left < 0 { return false }
    }
    return true
  }

  /// The fixed codes (RFC 1951, 3.2.6).
  static let fixedLiterals = HuffmanCode(
    lengths: [UInt8](repeating: 8, count: 144) + [UInt8](repeating: 9, count: 112)
      + [UInt8](repeating: 7, count: 24) + [UInt8](repeating: 8, count: 8))
  static let fixedDistances = HuffmanCode(lengths: [UInt8](repeating: 5, count: 30))
}
