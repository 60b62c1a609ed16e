import PeatProtocol
import PeatTestSupport

extension Differences {
  /// Compares a peripheral with the shape that the vectors give one.
  mutating func compare(_ peripheral: Peripheral, _ expect: JSON) {
    self.expect("id", peripheral.id, expect["id"].node)
    self.expect("parent", peripheral.parent, expect["parent_node"].node)
    self.expect("type", peripheral.type.rawValue, expect["type"].uint8)
    bytes("callsign bytes", peripheral.callsign.bytes, expect["callsign_hex"])
    self.expect("callsign", peripheral.callsign.text, expect["callsign"].string)
    compare(peripheral.health, expect["health"])
    self.expect("event type", peripheral.event?.type.rawValue, expect["event"]["type"].uint8)
    self.expect("event time", peripheral.event?.time, expect["event"]["timestamp"].uint64)
    self.expect("located", peripheral.location != nil, !expect["location"].isNull)
    if let location = peripheral.location { compare(location, expect["location"]) }
    self.expect("time", peripheral.time, expect["timestamp"].uint64)
  }

  /// Compares a health with the shape that the vectors give one.
  mutating func compare(_ health: Health, _ expect: JSON) {
    self.expect("battery", health.battery, expect["battery_percent"].uint8)
    self.expect("activity", health.activity.rawValue, expect["activity"].uint8)
    self.expect("alerts", health.alerts.rawValue, expect["alerts"].uint8)
    self.expect("heart rate", health.heartRate, expect["heart_rate"].uint8 ?? 0)
  }

  /// Compares a location with the shape that the vectors give one, by bit patterns.
  mutating func compare(_ location: Location, _ expect: JSON) {
    self.expect("latitude", location.latitude.bitPattern, expect["latitude"].floatBits)
    self.expect("longitude", location.longitude.bitPattern, expect["longitude"].floatBits)
    self.expect("altitude", location.altitude?.bitPattern, expect["altitude"].floatBits)
    self.expect("accuracy", location.accuracy?.bitPattern, expect["accuracy"].floatBits)
  }
}
