package import PeatProtocol

/// What a full update of a node's state sets; nil leaves a part as it is (protocol.md 2.3).
package struct StateUpdate: Sendable {
  /// What the wearer is called.
  package var callsign: Callsign
  /// Battery charge in percent.
  package var battery: UInt8
  /// Beats a minute.
  package var heartRate: UInt8?
  /// Where the wearer is; nil clears it.
  package var location: Location?
  /// What happened at the time of the update.
  package var event: EventType?
  /// Milliseconds since 1970.
  package var time: UInt64

  /// Makes an update from its parts.
  package init(
    callsign: Callsign, battery: UInt8, heartRate: UInt8?, location: Location?,
    event: EventType?, time: UInt64
  ) {
    self.callsign = callsign
    self.battery = battery
    self.heartRate = heartRate
    self.location = location
    self.event = event
    self.time = time
  }
}

// Values are taken as they are, like in the reference, which checks them only on receiving.
extension MeshNode {
  /// Sets the battery's charge in percent.
  package mutating func setBattery(_ percent: UInt8) {
    change { $0.health.battery = percent }
  }

  /// Sets what the wearer is doing.
  package mutating func setActivity(_ activity: Activity) {
    change { $0.health.activity = activity }
  }

  /// Sets battery and activity in one step.
  package mutating func setHealth(battery: UInt8, activity: Activity) {
    change {
      $0.health.battery = battery
      $0.health.activity = activity
    }
  }

  /// Sets the heart rate in beats a minute, 0 = absent.
  package mutating func setHeartRate(_ rate: UInt8) { change { $0.health.heartRate = rate } }

  /// Sets or clears the place.
  package mutating func setLocation(_ location: Location?) { change { $0.location = location } }

  /// Sets what the wearer is called.
  package mutating func setCallsign(_ callsign: Callsign) { change { $0.callsign = callsign } }

  /// Sets the latest event.
  package mutating func setEvent(_ type: EventType, time: UInt64) {
    change { $0.note(PeripheralEvent(type: type, time: time)) }
  }

  /// Clears the latest event; the peripheral keeps its time.
  package mutating func clearEvent() { change { $0.event = nil } }

  /// Sets all at once.
  package mutating func update(_ update: StateUpdate) {
    change {
      $0.callsign = update.callsign
      $0.health.battery = update.battery
      if let rate = update.heartRate { $0.health.heartRate = rate }
      $0.location = update.location
      if let event = update.event { $0.event = PeripheralEvent(type: event, time: update.time) }
      $0.time = update.time
    }
  }

  private mutating func change(_ body: (inout Peripheral) -> Void) {
    if var peripheral = document.peripheral {
      body(&peripheral)
      document.peripheral = peripheral
    }
    document.version &+= 1
  }
}

extension MeshNode {
  /// Counts and sends an emergency as an event only, without acks (protocol.md 8.6, "Legacy").
  package mutating func sendEmergency(time: UInt64) -> [UInt8]? {
    count(.emergency, time: time)
    return announced()
  }

  /// Counts and sends an acknowledgement as an event only (protocol.md 8.6, "Legacy").
  package mutating func sendAcknowledgement(time: UInt64) -> [UInt8]? {
    count(.ack, time: time)
    return announced()
  }

  /// Starts an emergency that `peers` are to acknowledge, in place of any other (protocol.md 4.3).
  package mutating func startEmergency(peers: [NodeID], time: UInt64) -> [UInt8]? {
    let acks = peers.map { EmergencyEvent.Ack(node: $0, isAcked: false) }
    document.emergency = EmergencyEvent(
      source: configuration.node, time: time,
      acks: acks + [EmergencyEvent.Ack(node: configuration.node, isAcked: true)])
    count(.emergency, time: time)
    return announced()
  }

  /// Starts an emergency that all known peers are to acknowledge, with or without a link.
  package mutating func startEmergency(time: UInt64) -> [UInt8]? {
    startEmergency(peers: peers.all.map(\.node), time: time)
  }

  /// Acknowledges the emergency, once; nil without one (protocol.md 4.3).
  package mutating func acknowledgeEmergency(time: UInt64) -> [UInt8]? {
    guard var emergency = document.emergency else { return nil }
    if emergency.acknowledge(configuration.node) {
      document.emergency = emergency
      count(.ack, time: time)
    }
    return announced()
  }

  /// Forgets the emergency here, and the event with it; the next document that has it brings it
  /// back (protocol.md 4.3).
  package mutating func clearEmergency() {
    guard document.emergency != nil else { return }
    document.emergency = nil
    clearEvent()
  }

  private mutating func count(_ type: EventType, time: UInt64) {
    document.counter.increment(configuration.node)
    setEvent(type, time: time)
  }

  private mutating func announced() -> [UInt8]? {
    raiseStateChanged()
    return documentFrame()
  }
}

extension Peripheral {
  mutating func note(_ event: PeripheralEvent) {
    self.event = event
    time = event.time
  }
}
