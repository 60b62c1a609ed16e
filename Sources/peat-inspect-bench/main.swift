import Glibc
import WireBytes

/// Compares `peat-inspect` with a C program that only steps over the records of the same file, in
/// interleaved rounds, and prints ratios. It asserts nothing: wall-clock time is no test.
struct Benchmark {
  var megabytes = 1000
  var rounds = 5
  var folder = "/tmp"
  var isKept = false

  init(_ arguments: [String]) {
    isKept = arguments.contains("--keep")
    if arguments.contains("--smoke") {
      megabytes = 64
      rounds = 3
    }
  }

  func run(tools: String) -> Int32 {
    let path = "\(folder)/peat-inspect-bench.\(getpid()).btsnoop"
    defer { if !isKept { unsafe unlink(path) } }
    guard let packets = write(path) else {
      print("cannot write \(path)")
      return 1
    }
    print("\(megabytes) MB of unrelated ATT traffic, \(packets) packets, \(rounds) rounds")
    let walk = ["\(tools)/btsnoop-walk", path]
    let inspect = ["\(tools)/peat-inspect", path]
    var ratios: [Double] = []
    for round in 0...rounds {
      guard let baseline = ChildProcess.run(walk), baseline.status == 0,
        let tool = ChildProcess.run(inspect), tool.status == 0
      else {
        print("btsnoop-walk or peat-inspect failed")
        return 1
      }
      // The first round only brings the file into the page cache.
      if round == 0 { continue }
      ratios.append(tool.seconds / baseline.seconds)
      print(
        "round \(round): C walk \(shown(baseline.seconds)) s, "
          + "peat-inspect \(shown(tool.seconds)) s, ratio \(shown(tool.seconds / baseline.seconds)), "
          + "peak \(tool.peakKibibytes / 1024) MiB")
    }
    ratios.sort()
    print("median ratio \(shown(ratios[ratios.count / 2]))")
    return 0
  }

  private func shown(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }

  /// Writes the capture and returns how many packets it has.
  private func write(_ path: String) -> Int? {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var traffic = Traffic(seed: 1)
    var packets = 0
    var written = 0
    while written < megabytes * 1_000_000 {
      while traffic.writer.count < 1 << 20 {
        traffic.step()
        packets += 1
      }
      let chunk = traffic.take()
      guard unsafe Glibc.write(file, chunk, chunk.count) == chunk.count else { return nil }
      written += chunk.count
    }
    return packets
  }
}

let tool = CommandLine.arguments[0]
let folder = tool.lastIndex(of: "/").map { String(tool[..<$0]) } ?? "."
exit(Benchmark(CommandLine.arguments).run(tools: folder))
