import BluetoothProtocols
import PeatProtocol

extension LinkDissector {
  /// Puts a beacon into the queue: it is a message, though no connection carries it.
  mutating func take(beaconOf advertiser: Advertiser, adapter: Int) {
    guard let beacon = advertiser.beacon else { return }
    if isSurvey {
      surveyMissed = true
      return
    }
    let link = Link(
      id: 0, adapter: adapter, connection: 0, local: nil, peer: advertiser.address,
      peerType: advertiser.addressType, role: nil)
    let value = CapturedValue(
      frame: frame, frames: [frame], time: time, link: link, direction: .received,
      isDirectionGuessed: false, opcode: .advertisement, handle: 0, characteristic: nil,
      service: nil, resolution: nil, mtu: 0, channel: nil, outcome: nil, role: .document,
      length: beacon.bytes.count, payload: beacon.bytes,
      advertisement: Advertisement(
        form: beacon.form, rssi: advertiser.lastRSSI, name: advertiser.name))
    _ = queue.append(value, isAwaiting: false, unresolved: nil)
  }
}
