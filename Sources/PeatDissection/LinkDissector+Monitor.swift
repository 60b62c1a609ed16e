import BluetoothProtocols
import CaptureFormats
import WireBytes

extension LinkDissector {
  /// Notes that wait to be taken; a log full of them keeps the oldest.
  private static let noteLimit = 256
  /// Text shown of one note.
  private static let textLimit = 200

  /// A monitor record without a packet: adapters that come and go, and what programs log.
  mutating func processMonitorNote(_ record: borrowing RecordView) {
    var reader = ByteReader(record.payload, base: record.fileOffset, layer: .hci)
    let adapter = record.adapter
    do throws(DecodeError) {
      switch record.monitorOpcode {
      case 0:
        let type = try reader.u8()
        let bus = try reader.u8()
        let address = DeviceAddress(value: try reader.le48())
        learn(address, of: adapter)
        let name = LinkDissector.text(&reader)
        tell(
          "new adapter \(name) \(address), \(type == 0 ? "primary" : "type \(type)"), "
            + LinkDissector.bus(bus), adapter)
      case 1: tell("adapter removed", adapter)
      case 8: tell("adapter opened", adapter)
      case 9: tell("adapter closed", adapter)
      case 10:
        let address = DeviceAddress(value: try reader.le48())
        learn(address, of: adapter)
        tell("adapter is \(address), manufacturer \(try reader.le16())", adapter)
      case 11:
        let count = reader.remaining
        tell("vendor diagnostics, \(count) byte\(count == 1 ? "" : "s")", adapter)
      case 12: tell("note: \(LinkDissector.text(&reader))", adapter)
      case 13:
        let priority = try reader.u8()
        let announced = Int(try reader.u8())
        var ident = try reader.split(min(announced, reader.remaining), layer: .hci)
        let name = LinkDissector.text(&ident)
        tell("log (\(priority)) \(name): \(LinkDissector.text(&reader))", adapter)
      default: break
      }
    } catch {
      tell("monitor record of kind \(record.monitorOpcode) is too short", adapter)
    }
  }

  private mutating func learn(_ address: DeviceAddress, of adapter: Int) {
    if address.value != 0 { updateAdapter(adapter) { $0.publicAddress = address } }
  }

  private mutating func tell(_ text: String, _ adapter: Int) {
    guard options.collectsMonitorNotes else { return }
    guard monitorNotes.count < LinkDissector.noteLimit else {
      lostMonitorNotes += 1
      return
    }
    monitorNotes.append(
      MonitorNote(
        frame: frame, time: time, adapter: adapter == 0xFFFF ? nil : adapter, text: text))
  }

  private static func bus(_ number: UInt8) -> String {
    let names = [
      "virtual", "USB", "PC card", "UART", "RS232", "PCI", "SDIO", "SPI", "I2C", "SMD", "VIRTIO",
    ]
    return Int(number) < names.count ? names[Int(number)] : "bus \(number)"
  }

  /// Text up to its NUL or the record's end, cut where it is long.
  private static func text(_ reader: inout ByteReader) -> String {
    let bytes = reader.rest().prefix { $0 != 0 }
    let shown = String(decoding: bytes.prefix(textLimit), as: UTF8.self)
    return bytes.count > textLimit ? shown + "..." : shown
  }
}
