import CommandLineOptions
import PeatProtocol
import PeatReports
import PeatSecurity
import SystemIO
import WireBytes

/// `peat-inspect decode [HEX...]`: messages given as hexadecimal text.
struct DecodeCommand {
  private let configuration: DecodeConfiguration
  private var decoder: MessageDecoder<Keyring>
  private var diagnostics: Diagnostics
  private var hex = HexInput()

  /// Reads the keys.
  init(_ configuration: DecodeConfiguration) throws {
    self.configuration = configuration
    try OutputGuard(configuration.raw, captures: configuration.inputs.isEmpty ? ["-"] : [])
      .check(configuration.output, option: "--output")
    let keys = try KeyLoading(configuration.raw)
    decoder = MessageDecoder(opener: keys.keyring)
    diagnostics = Diagnostics(isQuiet: configuration.raw.isQuiet, style: configuration.style)
    for warning in keys.warnings { diagnostics.warn(warning) }
  }

  mutating func run() throws(Errno) -> ExitStatus {
    let target = try OutputTarget(
      path: configuration.output, configuration.isText ? .text : .ndjson, configuration.style)
    var writer = DecodeWriter(configuration, sink: target.sink)
    if configuration.inputs.isEmpty {
      try decodeLines(&writer)
    } else {
      for (index, input) in configuration.inputs.enumerated() {
        let text = Array(input.utf8)
        try decode(text.rawBytes, place: .argument(index + 1), &writer)
      }
    }
    try writer.flush()
    diagnostics.finish()
    try target.finish()
    return diagnostics.status
  }

  private mutating func decodeLines(_ writer: inout DecodeWriter) throws(Errno) {
    var lines = HexLines(.standardInput)
    // Keys follow sessions from line to line; without them every line stands alone.
    if !configuration.isText && !configuration.isUpgrade && decoder.opener.isEmpty {
      try decodeBlocks(&lines, &writer)
      return
    }
    while let line = try lines.next(whenIdle: { () throws(Errno) in try writer.flush() }) {
      try decode(lines.text.extracting(line), place: .line(lines.number), &writer)
    }
  }

  /// Decodes blocks of lines on two threads. While one begins with a block, the other writes what
  /// the last became and reads the next, if that needs no waiting.
  private mutating func decodeBlocks(
    _ lines: inout HexLines, _ writer: inout DecodeWriter
  ) throws(Errno) {
    var done: [DecodedBlock] = []
    var next = try lines.block(waits: true)
    while let block = next {
      let shared = SharedLines(block, as: configuration.kind)
      next = nil
      if shared.isWorthSharing {
        let (read, _) = SecondThread.run {
          let read = Result { () throws(Errno) in
            try take(done, &writer)
            return try lines.block(waits: false)
          }
          shared.decode()
          return read
        } beside: {
          shared.decode()
        }
        next = try read.get()
      } else {
        try take(done, &writer)
        shared.decode()
      }
      done = shared.decoded
      if next == nil {
        try take(done, &writer)
        done = []
        try writer.flush()
        next = try lines.block(waits: true)
      }
    }
  }

  private mutating func take(
    _ blocks: [DecodedBlock], _ writer: inout DecodeWriter
  ) throws(Errno) {
    for block in blocks {
      for (line, fault) in block.faults { complain(fault, .line(line)) }
      try writer.write(block)
    }
  }

  /// Where an input stands.
  private enum Place {
    case argument(Int)
    case line(Int)
  }

  @inline(__always)
  private mutating func decode(
    _ text: RawSpan, place: Place, _ writer: inout DecodeWriter
  ) throws(Errno) {
    do throws(FormatFault) {
      try hex.read(text)
    } catch {
      complain(error, place)
      if configuration.isText {
        try writer.write(MessageDump(unreadable: error), notes: [])
      } else {
        try writer.write(.malformed(error), notes: [])
      }
      return
    }
    if configuration.isUpgrade {
      if configuration.isText {
        try writer.write(MessageDump(upgrade: hex.bytes), notes: [])
      } else {
        try writer.write(upgrade: hex.bytes)
      }
      return
    }
    let message = decoder.decode(hex.bytes, as: configuration.kind)
    let notes = Receivers.notes(message, bytes: hex.bytes)
    if configuration.isText {
      let dump = MessageDump(message, bytes: hex.bytes, opener: &decoder.opener)
      try writer.write(dump, notes: notes)
    } else {
      try writer.write(message, notes: notes)
    }
  }

  private mutating func complain(_ fault: FormatFault, _ place: Place) {
    diagnostics.raise(to: .damaged)
    let name =
      switch place {
      case .argument(let number): "argument \(number)"
      case .line(let number): "-: line \(number)"
      }
    diagnostics.report("\(name): \(fault.reason) at character \(fault.offset)", code: "no-hex")
  }
}
