import BluetoothProtocols
import FirmwareUpgrades
import PeatDissection
package import PeatTimeline
import SMPProtocol
package import WireBytes

/// Messages of firmware upgrades in records (docs/upgrades.md, "Records").
extension OutputText {
  /// Appends one record and its line end.
  package mutating func append(upgrade row: UpgradeRow) {
    let value = row.carried.value
    append("{\"schema\":")
    append(decimal: OutputText.schemaVersion)
    field("file", row.carried.file)
    field("frame", value.frame)
    field("time", value.time)
    if let elapsed = row.carried.elapsed {
      append(",\"elapsed\":")
      append(seconds: elapsed, decimals: value.time?.isNanosecondPrecise == true ? 9 : 6)
    }
    append(link: value.link)
    field("direction", value.direction.rawValue)
    if value.isDirectionGuessed { append(",\"direction_guessed\":true") }
    var whole = value
    whole.frames = row.packet.frames
    append(att: whole)
    field("bytes", row.packet.bytes.count)
    append(",\"payload\":")
    append(jsonHex: row.packet.bytes)
    append(upgrade: row.packet)
    append(findings: row.findings)
    append("}\n")
  }

  /// Appends `kind` and `smp` with the comma in front; a body that cannot be read is left out.
  private mutating func append(upgrade packet: SMPPacket) {
    append(packet.header, packet.message, transaction: packet.transaction)
  }

  /// Appends what `decode --as smp` prints of one input, and its line end.
  package mutating func append(decodedUpgrade bytes: [UInt8]) {
    append("{\"schema\":1")
    var findings: [Finding] = []
    var reader = ByteReader(bytes.rawBytes, layer: .smp)
    do throws(DecodeError) {
      let header = try SMPHeader(&reader)
      var whole = ByteReader(bytes.rawBytes, layer: .smp)
      var message: SMPMessage?
      do throws(DecodeError) {
        message = try SMPMessage(&whole)
      } catch {
        findings.append(Finding(.smpBadCBOR, "the body cannot be read: \(error)"))
      }
      append(header, message, transaction: nil)
    } catch {
      field("kind", "malformed")
      field("reason", "\(error)")
      field("offset", error.offset)
    }
    append(findings: findings)
    append("}\n")
  }

  private mutating func append(_ header: SMPHeader, _ message: SMPMessage?, transaction: Int?) {
    field("kind", "smp")
    append(key: "smp")
    append("{\"op\":\"")
    append(raw: header.operation.name)
    append("\"")
    field("version", header.version)
    field("group", header.group)
    field("command", header.command)
    field("sequence", header.sequence)
    field("name", SMPNames.command(header.command, of: header.group))
    if let message {
      append(key: "body")
      append(cbor: message.body)
    }
    field("transaction", transaction)
    append("}")
  }

  /// Appends a value of CBOR as JSON: byte strings as `{"hex":...}`, numbers beyond 64 bits and
  /// floats that JSON has not as text, of keys that stand twice the first.
  mutating func append(cbor value: CBORValue) {
    switch value {
    case .unsigned(let number): append(decimal: number)
    case .negative(let number):
      append(raw: "\(-1 - Int128(number))")
    case .bytes(let bytes):
      append("{\"hex\":")
      append(jsonHex: bytes)
      append("}")
    case .text(let text): append(jsonString: text)
    case .array(let elements):
      append("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { append(",") }
        append(cbor: element)
      }
      append("]")
    case .map(let entries):
      append("{")
      var names: Set<String> = []
      for entry in entries {
        let name = OutputText.key(entry.key)
        guard names.insert(name).inserted else { continue }
        if names.count > 1 { append(",") }
        append(jsonString: name)
        append(":")
        append(cbor: entry.value)
      }
      append("}")
    case .bool(let value): append(json: value)
    case .float(let number):
      if number.isFinite {
        append(raw: "\(number)")
      } else {
        append(jsonString: "\(number)")
      }
    case .null, .undefined: append("null")
    case .simple(let code):
      append("{\"simple\":")
      append(decimal: code)
      append("}")
    }
  }

  private static func key(_ value: CBORValue) -> String {
    switch value {
    case .text(let text): text
    case .unsigned(let number): "\(number)"
    case .negative(let number): "\(-1 - Int128(number))"
    case .bytes(let bytes): "0x" + Hexadecimal.string(bytes)
    case .array, .map, .bool, .null, .undefined, .float, .simple: "?"
    }
  }
}

extension OutputText {
  /// Appends one row of the timeline's CSV: `event` has what the message does, `version` the
  /// message's number.
  package mutating func append(csvUpgrade row: UpgradeRow) {
    let columns = OutputText.columns
    var cells = Array(repeating: "", count: columns.count)
    func set(_ name: String, _ value: String?) {
      if let place = columns.firstIndex(of: name) { cells[place] = value ?? "" }
    }
    setCarriage(of: row.carried, set)
    set("kind", "smp")
    set("version", "\(row.packet.header.sequence)")
    set("bytes", "\(row.packet.bytes.count)")
    set("peripheral_type", row.packet.header.operation.name)
    set("event", UpgradePhrases.title(row.packet))
    set("findings", row.findings.map(\.code.rawValue).joined(separator: ";"))
    set("payload", "0x" + Hexadecimal.string(row.packet.bytes))
    append(csvRow: cells)
  }
}
