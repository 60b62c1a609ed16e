import CaptureFormats
import CommandLineOptions
import SystemIO
import WireBytes

/// What `-w` and its companions ask for.
struct RecordingOptions: Sendable, Equatable {
  /// When a new file is begun.
  enum Rotation: Sendable, Equatable {
    case bytes(UInt64)
    /// Nanoseconds of the machine's clock.
    case time(UInt64)

    /// Reads a size such as `100M`, or a span of time such as `1h`.
    static func parse(_ text: String) throws(InvalidValue) -> Rotation {
      let units: [(Character, UInt64)] = [
        ("K", 1 << 10), ("k", 1 << 10), ("M", 1 << 20), ("G", 1 << 30),
      ]
      for (suffix, factor) in units where text.last == suffix {
        guard let number = UInt64(text.dropLast()), number > 0, number <= 1 << 20 else { break }
        return .bytes(number * factor)
      }
      if let last = text.last, "smhd".contains(last), let time = try? DurationText.parse(text) {
        return .time(time)
      }
      throw InvalidValue("expected a size such as 64K, 100M or 1G, or a time such as 10m or 1h")
    }
  }

  var path: String
  var format: RecordingFormat
  var rotation: Rotation?
  /// Most files kept; nil keeps all.
  var files: Int?
}

/// The files that a run records to; a class, as it owns the open one.
final class Recording {
  let options: RecordingOptions
  private var file: FileDescriptor
  private var bytes: UInt64 = 0
  private var begun: UInt64
  private var number = 1
  private let stem: String
  private var kept: [String] = []

  /// Makes the first file; its header is the encoder's first output.
  init(_ options: RecordingOptions, at now: UInt64, wall: Timestamp) throws(Errno) {
    self.options = options
    begun = now
    stem = Recording.stem(options, wall)
    let path = Recording.path(options, stem: stem, number: 1)
    file = try FileDescriptor.open(writing: path)
    kept = [path]
  }

  /// Writes what the encoder made, and begins a new file where one is due.
  func write(_ encoder: inout RecordEncoder, at now: UInt64) throws(Errno) {
    let made = encoder.drain()
    if !made.isEmpty {
      try file.write(made)
      bytes += UInt64(made.count)
    }
    if isDue(at: now) { try beginNext(&encoder, at: now) }
  }

  /// Begins a new file. One that has no number and was moved away is begun again under its name;
  /// else numbers tell the files apart.
  func beginNext(_ encoder: inout RecordEncoder, at now: UInt64) throws(Errno) {
    try file.write(encoder.drain())
    let isMoved = options.rotation == nil && (try? FileStatus(path: options.path)) == nil
    if !isMoved { number += 1 }
    let path = isMoved ? options.path : Recording.path(options, stem: stem, number: number)
    file = try FileDescriptor.open(writing: path)
    kept.append(path)
    begun = now
    bytes = 0
    encoder.begin()
    // At once, so that a file to which nothing more comes can be read.
    try file.write(encoder.drain())
    if let limit = options.files, kept.count > limit { try Folder.remove(kept.removeFirst()) }
  }

  private func isDue(at now: UInt64) -> Bool {
    switch options.rotation {
    case nil: false
    case .bytes(let limit): bytes >= limit
    case .time(let span): now &- begun >= span && bytes > 0
    }
  }

  /// `capture.pcapng`, or where files rotate or further ones are asked for (SIGUSR1)
  /// `capture-20260301T113355Z-00002.pcapng`: several runs do not write over each other's files.
  private static func path(_ options: RecordingOptions, stem: String, number: Int) -> String {
    guard options.rotation != nil || number > 1 else { return options.path }
    let digits = String(number)
    let padded = String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    return "\(stem)-\(padded).\(options.format.rawValue)"
  }

  private static func stem(_ options: RecordingOptions, _ wall: Timestamp) -> String {
    let civil = CivilTime(wall)
    var text = OutputText(capacity: 64)
    text.append(raw: String(options.path.dropLast(options.format.rawValue.count + 1)))
    text.append("-")
    text.append(decimal: civil.year, width: 4)
    text.append(decimal: civil.month, width: 2)
    text.append(decimal: civil.day, width: 2)
    text.append("T")
    text.append(decimal: civil.hour, width: 2)
    text.append(decimal: civil.minute, width: 2)
    text.append(decimal: civil.second, width: 2)
    text.append("Z")
    return String(decoding: text.bytes, as: UTF8.self)
  }
}
