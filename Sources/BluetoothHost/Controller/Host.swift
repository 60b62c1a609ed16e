package import BluetoothProtocols

/// A small LE host: brings a controller up, advertises, scans, connects, and speaks the attribute
/// protocol in both roles on every link (formats.md 8 to 11).
///
/// A value without input or output: the caller hands in the packets of the controller and the time
/// in milliseconds, sends the packets of `takeOutput()`, and takes the events after each call.
package struct Host: Sendable {
  enum Phase: Sendable, Equatable { case idle, starting, running, failed }

  /// What it was told before it started.
  package let configuration: HostConfiguration
  /// What this host serves.
  package internal(set) var database: AttributeDatabase
  var phase = Phase.idle
  var now: UInt64 = 0
  var commands = CommandQueue()
  var startup: [HCIOpcode] = []
  var isRadioPlanned = false
  var isExtended = false
  /// Set where the extended commands turned out not to work.
  var isLegacyForced = false
  var publicAddress = DeviceAddress(value: 0)
  var localFeatures: UInt64 = 0
  /// Whether the controller draws random bytes and encrypts blocks for its host.
  var hasEncryption = true
  /// Commands that the controller left without an answer, which it does not get again.
  var unanswered: Set<HCIOpcode> = []

  /// The random address in use; nil for the public one.
  var randomAddress: DeviceAddress?
  /// The address that waits until the radio is still.
  var nextAddress: DeviceAddress?
  var nextRotation: UInt64?
  /// The 24 random bits of the address that is being made.
  var addressSeed: UInt32 = 0
  /// What the answers to LE Rand and LE Encrypt are for, in the order in which they come.
  var jobs: [SecurityJob] = []
  var nextSerial = 0
  /// Links beside which the controller refused another one.
  var fullAt: Int?
  /// Times in a row that advertising was refused.
  var refusedAdvertising = 0

  // Data to the controller.
  var aclLength = 27
  var aclCredits = 0
  var aclTotal = 0
  var links: [UInt16: HostLink] = [:]
  /// The handle that was served last, so that all links get their turn.
  var lastServed: UInt16 = 0

  // Radio activity: what is wanted, and what is so.
  var wantsAdvertising = false
  var wantsScanning = false
  var isAdvertising = false
  var isScanning = false
  var target: (address: DeviceAddress, type: AddressType)?
  var connecting: (address: DeviceAddress, deadline: UInt64, isCancelled: Bool)?
  var retryAdvertising: UInt64 = 0
  var retryScanning: UInt64 = 0
  var retryAddress: UInt64 = 0

  var output: [HCIPacket] = []
  var events: [HostEvent] = []

  /// Makes a host that has not spoken with its controller yet.
  package init(_ configuration: HostConfiguration) {
    self.configuration = configuration
    database = configuration.database
    randomAddress = configuration.randomAddress
  }

  /// Packets for the controller since the last call.
  package mutating func takeOutput() -> [HCIPacket] {
    defer { output = [] }
    return output
  }

  /// What happened since the last call.
  package mutating func takeEvents() -> [HostEvent] {
    defer { events = [] }
    return events
  }

  /// The address that others see.
  package var address: DeviceAddress { randomAddress ?? publicAddress }
  /// 0 for a public address, 1 for a random one.
  var ownAddressType: UInt8 { usesRandomAddress ? 1 : 0 }
  var usesRandomAddress: Bool { configuration.privacy != nil || configuration.randomAddress != nil }
  /// Whether a connection is being made.
  package var isConnecting: Bool { target != nil || connecting != nil }

  /// Whether the controller has answered everything and the radio does nothing.
  package var isQuiet: Bool {
    !commands.contains { _ in true } && !isAdvertising && !isScanning && !isConnecting
  }

  /// Changes a value that this host serves.
  package mutating func setValue(_ value: [UInt8], of handle: UInt16) {
    database.setValue(value, of: handle)
  }

  /// Starts or stops advertising, as soon as the controller can.
  package mutating func setAdvertising(_ isOn: Bool, now: UInt64) {
    wantsAdvertising = isOn
    settle(now)
  }

  /// Starts or stops scanning, as soon as the controller can.
  package mutating func setScanning(_ isOn: Bool, now: UInt64) {
    wantsScanning = isOn
    settle(now)
  }

  /// Links that can be open at a time: what was configured, or fewer where the controller said that
  /// it takes no more.
  package var linkLimit: Int { min(configuration.maximumLinks, fullAt ?? .max) }
  /// Whether the controller said that it takes no more links.
  package var isLimitedByController: Bool { linkLimit < configuration.maximumLinks }
  /// Whether another link can be opened.
  package var hasRoom: Bool { links.count < linkLimit }

  /// Takes the controller's word that it has no room for a link beside those that are open.
  mutating func noteFull(status: UInt8) {
    // Memory capacity or connection limit exceeded, limited resources: the ways in which controllers
    // say so (Vol 1 Part F, 2). Some say "disallowed", which is also said of other activity that is
    // in the way, and then not for long.
    let isSaidAgain = status == 0x0C && refusedAdvertising >= Host.refusalLimit
    guard [0x07, 0x09, 0x0D].contains(status) || isSaidAgain, !links.isEmpty,
      fullAt != links.count
    else { return }
    fullAt = links.count
    events.append(.full(links: links.count))
  }

  /// Connects; false where a connection is being made, or no link is free.
  package mutating func connect(
    to address: DeviceAddress, type: AddressType, now: UInt64
  ) -> Bool {
    guard phase == .running, !isConnecting, hasRoom else { return false }
    // An identity address is connected to as public or random (Vol 4 Part E, 7.8.12).
    target = (address, type.rawValue & 1 == 0 ? .public : .random)
    settle(now)
    return true
  }

  /// Ends a link.
  package mutating func disconnect(_ link: UInt16, reason: UInt8 = 0x13, now: UInt64) {
    close(link, reason: reason)
    settle(now)
  }

  mutating func close(_ link: UInt16, reason: UInt8 = 0x13) {
    guard let known = links[link], !known.isClosing else { return }
    links[link]?.isClosing = true
    send(.disconnect, le(link) + [reason])
  }

  /// Time passes.
  package mutating func tick(now: UInt64) {
    self.now = now
    if let sent = commands.sent, now >= sent.deadline, phase != .failed {
      missAnswer(to: sent.entry)
    }
    if let attempt = connecting, now >= attempt.deadline {
      if attempt.isCancelled {
        // The cancellation brought no event: the controller is taken at its word.
        connecting = nil
        events.append(.connectionFailed(peer: attempt.address, status: 0x02))
      } else {
        connecting?.isCancelled = true
        connecting?.deadline = now &+ 2_000
        send(.leCreateConnectionCancel)
      }
    }
    rotateAddress()
    endSilentPairings()
    for link in links.keys.sorted() where links[link]?.client != nil {
      links[link]?.client?.tick(now: now)
      drainClient(link)
    }
    settle(now)
  }

  /// When `tick` should be called at the latest, in milliseconds.
  package var deadline: UInt64? {
    var all = links.values.compactMap { $0.client?.deadline }
    if let sent = commands.sent { all.append(sent.deadline) }
    if let connecting { all.append(connecting.deadline) }
    if let nextRotation { all.append(nextRotation) }
    all += links.values.compactMap { $0.pairing?.deadline }
    if wantsAdvertising, !isAdvertising, retryAdvertising > now { all.append(retryAdvertising) }
    if wantsScanning, !isScanning, retryScanning > now { all.append(retryScanning) }
    return all.min()
  }

  mutating func fail(_ reason: HostFailure) {
    phase = .failed
    events.append(.failed(reason))
  }

  mutating func send(_ opcode: HCIOpcode, _ parameters: [UInt8] = []) {
    guard !unanswered.contains(opcode) else { return }
    commands.append(opcode, parameters)
  }

  /// Does what can be done now: radio activity, commands, data.
  mutating func settle(_ now: UInt64) {
    self.now = now
    guard phase != .failed else { return }
    if phase == .running { reconcile() }
    if let entry = commands.next(now: now) {
      output.append(.command(entry.opcode, entry.parameters))
    }
    pump()
  }

  func le(_ value: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
  }

  func le(_ address: DeviceAddress) -> [UInt8] {
    (0..<6).map { UInt8(truncatingIfNeeded: address.value >> UInt64(8 * $0)) }
  }
}
