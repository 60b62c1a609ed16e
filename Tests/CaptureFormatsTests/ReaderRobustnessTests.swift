import Foundation
import PeatTestSupport
import Testing

@testable import CaptureFormats

/// Hands out bytes in pieces of one size, as a pipe may.
final class ChunkSource: ByteSource {
  private let bytes: [UInt8]
  private let size: Int
  private let firstSize: Int
  private var place = 0
  let isSeekable: Bool

  init(_ bytes: [UInt8], size: Int, firstSize: Int = 0, isSeekable: Bool = false) {
    self.bytes = bytes
    self.size = size
    self.firstSize = firstSize
    self.isSeekable = isSeekable
  }

  var totalBytes: Int? { nil }

  func read(into buffer: inout [UInt8], from start: Int) throws(CaptureError) -> Int {
    let most = place == 0 && firstSize > 0 ? firstSize : size
    let count = min(buffer.count - start, most, bytes.count - place)
    if count > 0 {
      buffer.replaceSubrange(start..<start + count, with: bytes[place..<place + count])
    }
    place += count
    return count
  }

  func rewind() -> Bool {
    guard isSeekable else { return false }
    place = 0
    return true
  }
}

/// A file that someone still writes: `limit` bytes of it are there.
final class GrowingSource: ByteSource {
  private let bytes: [UInt8]
  private var place = 0
  var limit = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isSeekable: Bool { false }
  var totalBytes: Int? { nil }

  func read(into buffer: inout [UInt8], from start: Int) throws(CaptureError) -> Int {
    let count = min(buffer.count - start, limit - place)
    if count > 0 {
      buffer.replaceSubrange(start..<start + count, with: bytes[place..<place + count])
    }
    place += count
    return count
  }

  func rewind() -> Bool { false }
}

/// A small generator with a seed, so that a failure can be run again (SplitMix64).
struct Seeded: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

@Suite struct ReaderRobustnessTests {
  static let samples: [(String, [UInt8])] = {
    let names = [
      "a-two-nodes.h4.btsnoop", "a-two-nodes.h1.btsnoop", "f-cached.mid.monitor.btsnoop",
      "a-two-nodes.phdr.nano.pcap", "a-two-nodes.phdr.big-endian.pcap", "a-two-nodes.monitor.pcap",
      "b-mixed.phdr.pcapng", "a-two-nodes.little-endian.pklg", "f-rotated.mid.big-endian.pklg",
    ]
    var all = names.compactMap { name in
      (try? Data(contentsOf: TestData.captures.appendingPathComponent(name))).map {
        (name, [UInt8]($0))
      }
    }
    for name in ["btsnooz_hci.log", "btsnooz-v1.txt"] {
      let url = TestData.bugReports.appendingPathComponent("07-bugreport-btsnooz/\(name)")
      if let data = try? Data(contentsOf: url) { all.append((name, [UInt8](data))) }
    }
    all.append(("hand-made hcidump", HCIDumpSample.bytes))
    return all
  }()

  static func walk(_ bytes: [UInt8]) throws -> Walk {
    var reader = try CaptureReader(bytes: bytes, name: "memory")
    return try Walk(&reader)
  }

  @Test func `every prefix gives the records that lie wholly in it and no others`() throws {
    for (name, bytes) in Self.samples {
      let whole = try Self.walk(bytes)
      let isPacked = whole.format == .btsnooz || whole.format == .bugReport
      for length in 0..<bytes.count {
        guard let part = try? Self.walk(Array(bytes[..<length])) else { continue }
        if isPacked {
          // The first time is known only from the sum of all deltas: a cut log has other times.
          #expect(part.payloads == Array(whole.payloads.prefix(part.payloads.count)))
          continue
        }
        let expected = zip(whole.headers, whole.payloads).prefix {
          $0.0.fileOffset + $0.1.count <= length
        }
        // A pcapng block ends behind its packet, so the last one may be cut all the same.
        let slack = whole.format == .pcapng ? 1 : 0
        #expect(part.headers.count <= expected.count, "\(name) cut at \(length)")
        #expect(part.headers.count >= expected.count - slack, "\(name) cut at \(length)")
        #expect(
          part.headers == Array(whole.headers.prefix(part.headers.count)), "\(name) \(length)")
        #expect(part.damages.count <= 1, "\(name) cut at \(length): \(part.damages)")
      }
    }
  }

  @Test func `a source in pieces gives what the whole gives, at every split`() throws {
    for (name, bytes) in Self.samples {
      let whole = try Self.walk(bytes)
      let step = max(1, bytes.count / 700)
      for split in stride(from: 1, to: bytes.count, by: step) {
        var reader = try CaptureReader(
          source: ChunkSource(bytes, size: 1 << 20, firstSize: split), name: name, capacity: 512)
        let pieces = try Walk(&reader)
        #expect(pieces.headers == whole.headers, "\(name) split at \(split)")
        #expect(pieces.payloads == whole.payloads, "\(name) split at \(split)")
      }
      for size in [1, 7, 64, 1000] {
        var reader = try CaptureReader(
          source: ChunkSource(bytes, size: size), name: name, capacity: 64)
        let pieces = try Walk(&reader)
        #expect(pieces.headers == whole.headers, "\(name) in pieces of \(size)")
        #expect(pieces.payloads == whole.payloads, "\(name) in pieces of \(size)")
      }
    }
  }

  @Test func `a file that grows gives what is there and goes on`() throws {
    for (name, bytes) in Self.samples.prefix(8) {
      let whole = try Self.walk(bytes)
      let source = GrowingSource(bytes)
      source.limit = bytes.count / 3
      var reader = try CaptureReader(source: source, name: name)
      reader.isGrowing = true
      var payloads: [[UInt8]] = []
      for limit in [
        bytes.count / 3, bytes.count / 2, bytes.count / 2, bytes.count - 3, bytes.count,
      ] {
        source.limit = limit
        while let record = try reader.next() { payloads.append([UInt8](record.payload)) }
        #expect(reader.damages.isEmpty, "\(name)")
      }
      reader.isGrowing = false
      let rest = try reader.next() == nil
      #expect(rest)
      #expect(payloads == whole.payloads, "\(name)")
      #expect(reader.damages.isEmpty, "\(name): \(reader.damages)")
    }
  }

  @Test func `a second pass gives the same as the first`() throws {
    for (name, bytes) in Self.samples {
      var reader = try CaptureReader(
        source: ChunkSource(bytes, size: 100, isSeekable: true), name: name, capacity: 256)
      let first = try Walk(&reader)
      let isAgain = try reader.rewind()
      #expect(isAgain)
      let second = try Walk(&reader)
      #expect(first.headers == second.headers, "\(name)")
      #expect(first.payloads == second.payloads, "\(name)")
    }
  }

  @Test func `mutated captures never trap and keep every offset inside the file`() throws {
    let seed = UInt64(ProcessInfo.processInfo.environment["PEAT_SEED"] ?? "") ?? 4
    let rounds = Int(ProcessInfo.processInfo.environment["PEAT_ROUNDS"] ?? "") ?? 40
    var random = Seeded(state: seed)
    for (name, original) in Self.samples {
      for round in 0..<rounds {
        var bytes = original
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          let place = Int.random(in: 0..<bytes.count, using: &random)
          switch Int.random(in: 0..<6, using: &random) {
          case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
          case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
          case 2: bytes.remove(at: place)
          case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
          case 4:
            let end = min(bytes.count, place + 8)
            for index in place..<end {
              bytes[index] = [0, 0xFF, 0x7F].randomElement(using: &random) ?? 0
            }
          default:
            let from = Int.random(in: 0..<bytes.count, using: &random)
            bytes.insert(contentsOf: bytes[from..<min(bytes.count, from + 200)], at: place)
          }
          if bytes.isEmpty { bytes = [0] }
        }
        guard var reader = try? CaptureReader(bytes: bytes, name: name) else { continue }
        let isPacked = reader.format == .btsnooz || reader.format == .bugReport
        while let record = try? reader.next() {
          let end = record.fileOffset + record.payload.byteCount
          #expect(isPacked || end <= bytes.count, "seed \(seed), \(name), round \(round)")
          #expect(record.originalLength >= record.payload.byteCount)
        }
      }
    }
  }

  @Test func `a hole of noise or zeros costs only the records that it hits`() throws {
    var random = Seeded(state: 11)
    for (name, bytes) in Self.samples.prefix(9) {
      let whole = try Self.walk(bytes)
      guard whole.headers.count > 60 else { continue }
      for noise in [true, false] {
        let from = whole.headers[20].fileOffset
        let to = whole.headers[24].fileOffset
        var damaged = bytes
        for index in from..<to {
          damaged[index] = noise ? UInt8.random(in: 0...255, using: &random) : 0
        }
        let walk = try Self.walk(damaged)
        let offsets = Set(walk.headers.map(\.fileOffset))
        for header in whole.headers[..<20] + whole.headers[26...] {
          #expect(offsets.contains(header.fileOffset), "\(name), noise \(noise)")
        }
        #expect(!walk.damages.isEmpty, "\(name)")
      }
    }
  }
}

/// An hcidump file of three records: reset, its completion, one ACL packet.
enum HCIDumpSample {
  static var bytes: [UInt8] {
    func record(_ packet: [UInt8], received: UInt8, microseconds: UInt8) -> [UInt8] {
      [UInt8(packet.count), 0, received, 0, 0x00, 0x5C, 0xE5, 0x68, microseconds, 0, 0, 0] + packet
    }
    return record([1, 3, 0x0C, 0], received: 0, microseconds: 1)
      + record([4, 0x0E, 4, 1, 3, 0x0C, 0], received: 1, microseconds: 2)
      + record([2, 0x40, 0x20, 5, 0, 1, 0, 4, 0, 0x0A], received: 1, microseconds: 3)
  }
}
