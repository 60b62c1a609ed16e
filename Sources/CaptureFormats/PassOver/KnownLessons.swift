/// Answers of discovery that told nothing new: where one comes again, it tells nothing either.
///
/// A table with two places for each request; a later answer takes an older one's place.
struct KnownLessons: Sendable {
  /// Longer answers are learnt from each time.
  static let longest = 64
  private static let places = 1024
  private static let words = longest / 8

  private struct Entry: BitwiseCopyable, Sendable {
    var server: UInt32 = 0
    var stamp: UInt32 = 0
    var request: UInt64 = 0
    var count = 0
  }

  private var entries: [Entry] = []
  private var answers: [UInt64] = []

  @inline(__always)
  private static func place(_ server: UInt32, _ request: UInt64) -> Int {
    let mixed = (request ^ UInt64(server) << 44) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 54)
  }

  /// Notes the answer of a server to a request.
  mutating func add(server: UInt32, stamp: UInt32, request: UInt64, _ answer: PacketBytes) {
    guard answer.count > 0, answer.count <= KnownLessons.longest else { return }
    if entries.isEmpty {
      entries = Array(repeating: Entry(), count: KnownLessons.places)
      answers = Array(repeating: 0, count: KnownLessons.places * KnownLessons.words)
    }
    var place = KnownLessons.place(server, request)
    let isTaken =
      entries[place].count > 0
      && (entries[place].server != server || entries[place].request != request)
    // The two places lie side by side.
    if isTaken { place ^= 1 }
    entries[place] = Entry(server: server, stamp: stamp, request: request, count: answer.count)
    for word in 0..<KnownLessons.words {
      answers[place * KnownLessons.words + word] = KnownLessons.word(answer, word)
    }
  }

  /// Whether the answer is the one noted; with `values`, whatever the values in it are.
  @inline(__always)
  func holds(
    server: UInt32, stamp: UInt32, request: UInt64, _ answer: PacketBytes, isOfValues: Bool
  ) -> Bool {
    guard !entries.isEmpty else { return false }
    var place = KnownLessons.place(server, request)
    if entries[place].server != server || entries[place].request != request { place ^= 1 }
    let entry = entries[place]
    guard entry.server == server, entry.stamp == stamp, entry.request == request,
      entry.count == answer.count
    else { return false }
    let first = place &* KnownLessons.words
    if isOfValues { return isSameButValues(first, answer) }
    for word in 0..<((answer.count &+ 7) >> 3)
    where answers[first &+ word] != KnownLessons.word(answer, word) { return false }
    return true
  }

  /// Opcode, size, and the handle that each entry of that size begins with.
  @inline(__always)
  private func isSameButValues(_ first: Int, _ answer: PacketBytes) -> Bool {
    let size = answer.u8(1)
    guard size >= 2, byte(first, 0) == answer.u8(0), byte(first, 1) == size else { return false }
    var place = 2
    while place &+ size <= answer.count {
      guard byte(first, place) == answer.u8(place),
        byte(first, place &+ 1) == answer.u8(place &+ 1)
      else { return false }
      place &+= size
    }
    return true
  }

  @inline(__always)
  private func byte(_ first: Int, _ place: Int) -> Int {
    Int(answers[first &+ place >> 3] >> UInt64((place & 7) << 3) & 0xFF)
  }

  @inline(__always)
  private static func word(_ answer: PacketBytes, _ word: Int) -> UInt64 {
    let start = word << 3
    if start &+ 8 <= answer.count { return UInt64(littleEndian: answer.u64(start)) }
    var value: UInt64 = 0
    for place in 0..<max(0, answer.count &- start) {
      value |= UInt64(answer.u8(start &+ place)) << UInt64(place << 3)
    }
    return value
  }
}
