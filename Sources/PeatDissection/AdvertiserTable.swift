public import BluetoothProtocols
public import PeatProtocol
public import WireBytes

/// A device heard advertising.
public struct Advertiser: Sendable, Equatable {
  /// The device address.
  public var address: DeviceAddress
  /// Whether the address is public or random.
  public var addressType: AddressType
  /// Whether it offered the Peat service, in any form of protocol.md 1.2.
  public var isPeat = false
  /// The advertised name, as it came.
  public var name: String?
  /// Data of AD type service data for 0xF47A, as it came.
  public var serviceData: [UInt8]?
  /// The last beacon, in whichever form it came.
  public var beacon: HeardBeacon?
  /// The signal of the last report, in dBm.
  public var lastRSSI: Int?
  /// The weakest signal, in dBm.
  public var minimumRSSI: Int?
  /// The strongest signal, in dBm.
  public var maximumRSSI: Int?
  /// How many reports there were.
  public var reports = 0
  /// When the last report came.
  public var lastHeard: Timestamp?
  /// The frame of the last report.
  /// The packet of its last report.
  public internal(set) var lastFrame = 0

  /// Takes in what a report's signal says; only the first part of one that comes in parts counts.
  mutating func hear(rssi: Int?, at time: Timestamp?, isFirst: Bool) {
    if isFirst { reports += 1 }
    lastHeard = time ?? lastHeard
    guard let rssi else { return }
    lastRSSI = rssi
    minimumRSSI = min(minimumRSSI ?? rssi, rssi)
    maximumRSSI = max(maximumRSSI ?? rssi, rssi)
  }
}

/// A beacon as it was heard (protocol.md 1.5).
public struct HeardBeacon: Sendable, Equatable {
  /// Which of the three forms the sender used, told by where it lies and how long it is.
  public var form: BeaconMessage.Form
  /// The beacon without what advertising puts in front.
  public var bytes: [UInt8]
}

/// Who was heard advertising, by address.
public struct AdvertiserTable: Sendable {
  /// Devices remembered; of more, those heard longest ago are forgotten, and Peat nodes last.
  static let limit = 8192
  /// Devices that were forgotten because there were too many.
  public private(set) var forgottenCount = 0
  /// Data kept of an extended report that comes in parts (Vol 4 Part E, 7.7.65.13).
  private static let dataLimit = 1650
  /// Reports that come in parts at a time; with more, the first parts are forgotten.
  private static let partialLimit = 64

  private var heard: [Advertiser] = []
  private var index = AdvertiserIndex()
  private var partial: [PartialKey: [UInt8]] = [:]

  /// A device may advertise several sets at a time, and several adapters may hear it.
  private struct PartialKey: Hashable {
    var adapter: Int
    var address: DeviceAddress
    var set: UInt8
    var isScanResponse: Bool
  }

  /// Makes an empty table.
  public init() {}

  /// Everybody heard, ascending by address.
  public var all: [Advertiser] {
    heard.sorted { $0.address.value < $1.address.value }
  }

  /// The device at an address.
  public subscript(address: DeviceAddress) -> Advertiser? {
    index.place(of: address, in: heard).map { heard[$0] }
  }

  /// Takes in one report; gives the device where it sends a beacon that it did not send before.
  ///
  /// Of one that comes in parts, what has come is read with each part: the rest may not be heard, or
  /// may be lost to a controller without room for it.
  @discardableResult
  mutating func add(
    _ report: borrowing AdvertisingReport, adapter: Int, time: Timestamp?, frame: Int
  ) -> Advertiser? {
    if partial.isEmpty, report.status != .moreToCome {
      return note(report, report.data, time: time, frame: frame)
    }
    let key = PartialKey(
      adapter: adapter, address: report.address, set: report.setIdentifier,
      isScanResponse: report.isScanResponse)
    let before = partial.removeValue(forKey: key)
    guard report.status == .moreToCome || before != nil else {
      return note(report, report.data, time: time, frame: frame)
    }
    var data = before ?? []
    data += [UInt8](report.data).prefix(AdvertiserTable.dataLimit - data.count)
    if report.status == .moreToCome {
      if partial.count >= AdvertiserTable.partialLimit { partial = [:] }
      partial[key] = data
    }
    return note(report, data.rawBytes, time: time, frame: frame)
  }

  /// Takes in an extended advertisement from the air, as far as it has come.
  mutating func add(_ heard: AdvertisementSoFar, rssi: Int?, time: Timestamp?, frame: Int) {
    note(
      heard.report(rssi: rssi), heard.data.rawBytes, time: time, frame: frame,
      isFirst: heard.isFirst)
  }

  @discardableResult
  private mutating func note(
    _ report: borrowing AdvertisingReport, _ data: RawSpan, time: Timestamp?, frame: Int,
    isFirst: Bool = true
  ) -> Advertiser? {
    let address = report.address
    let place: Int
    if let known = index.place(of: address, in: heard) {
      place = known
    } else {
      if heard.count >= AdvertiserTable.limit { forgetOldest() }
      heard.append(Advertiser(address: address, addressType: report.addressType))
      index.insertLast(of: heard)
      place = heard.count - 1
    }
    let before = heard[place].beacon
    heard[place].hear(rssi: report.rssi, at: time, isFirst: isFirst)
    heard[place].read(data)
    heard[place].lastFrame = frame
    return heard[place].beacon != before ? heard[place] : nil
  }

  /// Forgets a quarter of the devices.
  private mutating func forgetOldest() {
    let count = AdvertiserTable.limit / 4
    var ranks = heard.indices.map { AdvertiserRank(heard[$0], place: $0) }
    AdvertiserRank.select(count, of: &ranks)
    forgottenCount += count
    var isForgotten = [Bool](repeating: false, count: heard.count)
    for rank in ranks.prefix(count) { isForgotten[rank.place] = true }
    var kept = 0
    for place in heard.indices where !isForgotten[place] {
      if kept != place { heard.swapAt(kept, place) }
      kept += 1
    }
    heard.removeLast(heard.count - kept)
    index.rebuild(heard)
  }
}

extension Advertiser {
  /// Reads the structures of advertising data (Core Specification Supplement, Part A).
  mutating func read(_ data: RawSpan) {
    var fields = AdvertisingData(data)
    while let field = fields.next() {
      var reader = ByteReader(field.data, layer: .gap)
      do throws(DecodeError) {
        switch field.type {
        case 0x02, 0x03:
          while reader.remaining >= 2 { note(service: BluetoothUUID(try reader.le16())) }
        case 0x06, 0x07:
          while reader.remaining >= 16 { note(service: try BluetoothUUID(&reader, size: 16)) }
        case 0x08 where name == nil, 0x09:
          name = String(decoding: reader.rest(), as: UTF8.self)
        case 0x16:
          let uuid = BluetoothUUID(try reader.le16())
          note(service: uuid)
          if uuid.short == ServiceIdentifiers.alias { serviceData = reader.rest() }
          if uuid.short == ServiceIdentifiers.libraryAlias {
            var bytes = reader.rest()
            // The library's advertiser writes a length that is one too small.
            if bytes.count == Beacon.compactSize - 1 || bytes.count == 20,
              let last = fields.takeByte()
            {
              bytes.append(last)
            }
            noteBeacon(bytes)
          }
        case 0x21:
          let uuid = try BluetoothUUID(&reader, size: 16)
          note(service: uuid)
          if DocumentCharacteristics.isPeatService(uuid) { serviceData = reader.rest() }
        case 0xFF:
          if try reader.le16() == 0xFFFF { noteBeacon(reader.rest()) }
        default: break
        }
      } catch {
        continue
      }
    }
  }

  private mutating func noteBeacon(_ bytes: [UInt8]) {
    let form: BeaconMessage.Form
    switch bytes.count {
    case 10: form = .compact
    case 16: form = .full
    case 21 where bytes[0] == 2: form = .encrypted
    default: return
    }
    // The version stands in the high nibble of the clear forms.
    guard form == .encrypted || bytes[0] >> 4 == 1 else { return }
    isPeat = true
    beacon = HeardBeacon(form: form, bytes: bytes)
  }

  private mutating func note(service: BluetoothUUID) {
    if DocumentCharacteristics.isPeatService(service) { isPeat = true }
  }
}
