import PeatProtocol
import PeatReports
import WireBytes

/// The records of some lines, decoded without keys, so that blocks can be made beside each other.
struct DecodedBlock: Sendable {
  private(set) var text: OutputText
  /// Lines that are not hexadecimal, by their numbers.
  private(set) var faults: [(line: Int, fault: FormatFault)] = []

  /// Decodes lines of `buffer`; `kind` is what they are read as whatever their first byte says.
  init(_ buffer: [UInt8], lines: some Collection<HexLines.Line>, as kind: MessageKind?) {
    // Half as much again as a usual record needs, since growing copies.
    text = OutputText(capacity: lines.count * 768)
    var hex = HexInput()
    var decoder = MessageDecoder()
    for line in lines {
      do throws(FormatFault) {
        try hex.read(buffer.rawBytes.extracting(line.range))
      } catch {
        faults.append((line.number, error))
        text.append(decoded: .malformed(error), notes: [])
        continue
      }
      let message = decoder.decode(hex.bytes, as: kind)
      text.append(decoded: message, notes: Receivers.notes(message, bytes: hex.bytes))
    }
  }
}
