import Glibc

/// Bytes on their way out, gathered into writes of 64 KiB.
///
/// One owner writes to it; it is a class so that formatters can share it without copying the buffer.
/// What is still in the buffer when the sink goes is dropped: the owner ends with `flush()`, which
/// can fail.
package final class OutputSink {
  /// When gathered bytes leave.
  package enum Mode: Sendable, Equatable {
    /// When the buffer is full.
    case blocks
    /// At the end of each call that ends a line: terminals, live output.
    case lines
  }

  /// Bytes gathered before they are written.
  package static let capacity = 65_536

  /// When gathered bytes leave.
  package var mode: Mode
  /// Whether what is appended, each time whole characters, is spelled in ASCII.
  package var spellsInASCII = false
  /// Bytes handed over so far, written or not.
  package private(set) var byteCount: UInt64 = 0

  private let descriptor: FileDescriptor
  private var buffer: [UInt8] = []

  /// Makes a sink over a descriptor.
  ///
  /// - Parameter mode: nil flushes by line where a terminal is behind the descriptor.
  package init(_ descriptor: consuming FileDescriptor, mode: Mode? = nil) {
    self.mode = mode ?? (descriptor.isTerminal ? .lines : .blocks)
    self.descriptor = descriptor
    buffer.reserveCapacity(OutputSink.capacity)
  }

  /// The sink for results.
  package static func standardOutput(mode: Mode? = nil) -> OutputSink {
    OutputSink(.standardOutput, mode: mode)
  }

  /// The sink for diagnostics, always by line, in the characters of the locale.
  package static func standardError(environment: Environment = Environment()) -> OutputSink {
    let sink = OutputSink(.standardError, mode: .lines)
    sink.spellsInASCII = ASCIISpelling.isAsked(by: environment)
    return sink
  }

  /// Whether a terminal is behind the sink.
  package var isTerminal: Bool { descriptor.isTerminal }

  /// The columns of the terminal behind the sink; see `Terminal.columns(of:environment:)`.
  package func columns(environment: Environment) -> Int {
    Terminal.columns(of: descriptor, environment: environment)
  }

  /// Appends bytes.
  package func append(_ bytes: [UInt8]) throws(Errno) {
    try append(bytes[...])
  }

  /// Appends bytes.
  package func append(_ bytes: ArraySlice<UInt8>) throws(Errno) {
    if spellsInASCII && bytes.contains(where: { $0 >= 0x80 }) {
      return try put(ASCIISpelling.spell(bytes)[...])
    }
    try put(bytes)
  }

  private func put(_ bytes: ArraySlice<UInt8>) throws(Errno) {
    byteCount &+= UInt64(bytes.count)
    if buffer.count + bytes.count > OutputSink.capacity { try flush() }
    // What fills a write by itself is not copied first.
    if bytes.count >= OutputSink.capacity { return try descriptor.write(bytes) }
    buffer.append(contentsOf: bytes)
    if buffer.count >= OutputSink.capacity || (mode == .lines && bytes.last == 0x0A) {
      try flush()
    }
  }

  /// Appends text as UTF-8.
  package func append(_ text: String) throws(Errno) {
    try append(Array(text.utf8))
  }

  /// Writes what has been gathered.
  ///
  /// Throws an error whose `isBrokenPipe` is true when the reader has gone; the bytes are dropped
  /// then, as with every error, so that a second flush does not write half a line again.
  package func flush() throws(Errno) {
    if buffer.isEmpty { return }
    defer { buffer.removeAll(keepingCapacity: true) }
    try descriptor.write(buffer)
  }
}
