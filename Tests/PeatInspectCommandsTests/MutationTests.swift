import Foundation
import PeatTestSupport
import Testing

/// Captures changed at random, always the same way: the tool ends with a documented status.
///
/// `PEAT_MUTATIONS` says how many files are made (200); `PEAT_MUTATION_SEED` where to begin (1).
struct MutationTests {
  /// A generator whose numbers depend on the seed alone (SplitMix64).
  struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
      return value ^ value >> 31
    }
  }

  private static func number(_ variable: String, else usual: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? usual
  }

  /// Every capture of the project, by path; folders of other tests' inputs among them.
  private static func sources() throws -> [String] {
    var paths: [String] = []
    for folder in [
      TestData.captures, TestData.captures.appendingPathComponent("kernel"),
      TestData.testsFolder.deletingLastPathComponent().appendingPathComponent("samples"),
    ] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      for name in names.sorted() where !name.hasSuffix(".json") && !name.hasSuffix(".md") {
        let path = folder.appendingPathComponent(name).path
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        if !isFolder.boolValue { paths.append(path) }
      }
    }
    return paths
  }

  /// Changes bits, bytes, lengths, cuts, or puts parts of two files together.
  static func mutate(
    _ bytes: [UInt8], with other: [UInt8], _ random: inout Seeded
  ) -> [UInt8] {
    var result = bytes
    for _ in 0..<Int.random(in: 1...8, using: &random) where result.count > 8 {
      let place = Int.random(in: 0..<result.count - 4, using: &random)
      switch Int.random(in: 0..<7, using: &random) {
      case 0: result[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: result[place] = UInt8.random(in: 0...255, using: &random)
      case 2:
        // A field of four bytes, as lengths are.
        let values: [UInt32] = [0, 1, 0x7FFF_FFFF, 0xFFFF_FFFF, 0xFFFF, 0x0004_0001]
        let value = values.randomElement(using: &random) ?? 0
        for index in 0..<4 {
          result[place + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index))
        }
      case 3: result.removeLast(result.count - place)
      case 4:
        let count = Int.random(in: 1...64, using: &random)
        result.removeSubrange(place..<min(result.count, place + count))
      case 5:
        let start = Int.random(in: 0..<max(1, other.count), using: &random)
        result.insert(contentsOf: other[start...].prefix(512), at: place)
      default:
        let count = Int.random(in: 1...64, using: &random)
        result.insert(contentsOf: [UInt8](repeating: 0, count: count), at: place)
      }
    }
    return result
  }

  @Test("every changed capture ends with a documented status, in little memory and time")
  func statuses() throws {
    let paths = try Self.sources()
    let first = UInt64(Self.number("PEAT_MUTATION_SEED", else: 1))
    let folder = try ScratchFolder()
    for step in 0..<UInt64(Self.number("PEAT_MUTATIONS", else: 200)) {
      var random = Seeded(seed: first &+ step)
      guard let path = paths.randomElement(using: &random),
        let other = paths.randomElement(using: &random)
      else { return }
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      let spliced = [UInt8](try Data(contentsOf: URL(fileURLWithPath: other)))
      let file = try folder.write(Self.mutate(bytes, with: spliced, &random), "capture")
      let format = ["text", "csv", "ndjson"].randomElement(using: &random) ?? "text"
      let run = try CommandRun(["-v", "-f", format, file], isLimited: true)
      let name = "seed \(first &+ step), \(URL(fileURLWithPath: path).lastPathComponent)"
      #expect([0, 3, 4].contains(run.status), "\(name): status \(run.status)")
    }
  }
}
