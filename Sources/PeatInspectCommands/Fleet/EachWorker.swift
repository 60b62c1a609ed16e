import CommandLineOptions
import SystemIO

/// The side of `--each` that reads: it is handed names of captures, and answers each with what the
/// command prints of it and a last line with the status.
enum EachWorker {
  /// Reads captures until no more are handed over.
  ///
  /// - Parameter read: the command on one capture.
  static func run(_ read: (String) -> ExitStatus) throws(Errno) {
    let work = FileDescriptor(WorkerProcess.workDescriptor)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var pending: [UInt8] = []
    while true {
      let count = try work.read(into: &buffer, range: 0..<buffer.count)
      if count == 0 { return }
      pending += buffer[..<count]
      while let end = pending.firstIndex(of: 0) {
        let name = String(decoding: pending[..<end], as: UTF8.self)
        pending.removeFirst(end + 1)
        let status = read(name)
        try FileDescriptor.standardOutput.write(
          [CaptureLabel.mark] + Array("\(status.rawValue)\n".utf8))
      }
    }
  }
}
