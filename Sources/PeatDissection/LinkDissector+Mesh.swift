import BluetoothProtocols
import CaptureFormats
import PeatProtocol
import WireBytes

extension LinkDissector {
  /// Takes what a report carries of a mesh; most carry nothing, as the types of their data tell.
  mutating func take(meshOf report: borrowing AdvertisingReport, adapter: Int) {
    guard !report.isScanResponse, report.status == .complete,
      Catalog.mayHoldMesh(report.data)
    else { return }
    take(
      meshOf: report.data, isConnectable: report.isConnectable, .received,
      Link(
        id: 0, adapter: adapter, connection: 0, local: nil, peer: report.address,
        peerType: report.addressType, role: nil))
  }

  /// Takes what this host's own advertising carries of a mesh: LE Set Advertising Data, or the
  /// extended form where one command holds it all (Vol 4 Part E, 7.8.7 and 7.8.54).
  mutating func takeMesh(sentBy record: borrowing RecordView) {
    guard options.wanted.contains(.mesh) else { return }
    var reader = ByteReader(record.payload, base: record.fileOffset, layer: .hci)
    do throws(DecodeError) {
      switch try reader.le16() {
      case 0x2008: try reader.skip(1)
      case 0x2037:
        // length, set
        try reader.skip(2)
        // 3 stands for whole data; a preference about fragments follows.
        guard try reader.u8() == 3 else { return }
        try reader.skip(1)
      default: return
      }
      let length = Int(try reader.u8())
      let data = try reader.view(min(length, reader.remaining))
      guard Catalog.mayHoldMesh(data) else { return }
      take(
        meshOf: data, isConnectable: false, .sent,
        Link(
          id: 0, adapter: record.adapter, connection: 0,
          local: adapters[record.adapter]?.randomAddress
            ?? adapters[record.adapter]?.publicAddress, peer: nil))
    } catch {
      return
    }
  }

  private mutating func take(
    meshOf data: RawSpan, isConnectable: Bool, _ direction: ValueDirection,
    _ link: Link
  ) {
    var fields = AdvertisingData(data)
    while let field = fields.next() {
      guard let carrier = Catalog.carrier(of: field, isConnectable: isConnectable) else { continue }
      if isSurvey {
        surveyMissed = true
        return
      }
      let bytes = [UInt8](field.data)
      let payload: [UInt8]
      if case .serviceData = carrier {
        payload = Array(bytes.dropFirst(2))
      } else {
        payload = bytes
      }
      let value = CapturedValue(
        frame: frame, frames: [frame], time: time, link: link, direction: direction,
        isDirectionGuessed: false, opcode: .advertisement, handle: 0, characteristic: nil,
        service: nil, resolution: nil, mtu: 0, channel: nil, outcome: nil, owner: .mesh(carrier),
        role: .document, length: payload.count, payload: payload, fileOffset: fileOffset)
      _ = queue.append(value, isAwaiting: false, unresolved: nil)
    }
  }
}
