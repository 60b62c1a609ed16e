import BluetoothProtocols
import CaptureFormats
import WireBytes

extension LinkDissector {
  mutating func processCommand(_ record: borrowing RecordView) {
    var reader = ByteReader(record.payload, base: record.fileOffset, layer: .hci)
    takeMesh(sentBy: record)
    let command: HCICommand
    do throws(DecodeError) {
      command = try HCICommand(&reader)
    } catch {
      return
    }
    let adapter = record.adapter
    switch command {
    case .reset:
      // The controller forgets its connections and its random address.
      closeAll(adapter: adapter)
      updateAdapter(adapter) {
        $0.randomAddress = nil
        $0.advertisingType = nil
        $0.connectingType = nil
      }
    case .setRandomAddress(let address), .setAdvertisingSetAddress(let address):
      updateAdapter(adapter) { $0.randomAddress = address }
    case .advertise(let type): updateAdapter(adapter) { $0.advertisingType = type }
    case .connect(let type): updateAdapter(adapter) { $0.connectingType = type }
    case .disconnect(let handle, _):
      if let slot = index[adapter, handle] { connections[slot].isEndingByLocal = true }
    case .other: break
    }
  }

  mutating func updateAdapter(_ adapter: Int, _ change: (inout AdapterState) -> Void) {
    guard adapters[adapter] != nil || adapters.count < 1024 else { return }
    change(&adapters[adapter, default: AdapterState()])
  }

  mutating func processEvent(_ record: borrowing RecordView) {
    var reader = ByteReader(record.payload, base: record.fileOffset, layer: .hci)
    // Most events only give credits back.
    if reader.peek() == 0x13 { return }
    do throws(DecodeError) {
      switch try HCIEvent(&reader) {
      case .connected(let event): open(event, adapter: record.adapter)
      case .disconnected(let handle, let reason):
        if let slot = index[record.adapter, handle] { close(slot, end: end(reason, of: slot)) }
      case .encryptionChanged(let handle, let isOn):
        if let slot = index[record.adapter, handle] { noteEncryption(slot, isOn: isOn) }
      case .paceChanged(let handle, let pace):
        if let slot = index[record.adapter, handle] { notePace(slot, pace) }
      case .phyChanged(let handle, let sent, let received):
        if let slot = index[record.adapter, handle] {
          notePHY(slot, LinkPHY(sent: sent, received: received))
        }
      case .signal(let handle, let rssi):
        // 127 stands for none.
        if rssi != 127, let slot = index[record.adapter, handle] {
          noteSignal(slot, Int(rssi))
        }
      case .publicAddress(let address):
        updateAdapter(record.adapter) { $0.publicAddress = address }
      case .advertising(var reports):
        while let report = try reports.next() {
          if let advertiser = advertisers.add(
            report, adapter: record.adapter, time: time, frame: frame)
          {
            take(beaconOf: advertiser, adapter: record.adapter)
          }
          if options.wanted.contains(.mesh) { take(meshOf: report, adapter: record.adapter) }
        }
      case .served(let note):
        knowledge.serve(note)
        knowMore()
      case .other: break
      }
    } catch {
      // What the capture itself left out is no fault of the controller's.
      if record.originalLength <= record.payload.byteCount {
        note(.hciMalformedEvent, "malformed HCI event passed over: \(error)")
      }
    }
  }

  private mutating func open(_ event: ConnectionOpened, adapter: Int) {
    if let old = index[adapter, event.handle] { close(old, end: .replaced) }
    if event.peerType == .random { addresses.meet(event.peer, resolve: options.resolveAddress) }
    let state = adapters[adapter] ?? AdapterState()
    let isCentral = event.isCentral ?? true
    let ownType = isCentral ? state.connectingType : state.advertisingType
    let local: DeviceAddress? =
      event.localPrivate
      ?? (ownType.map { $0 & 1 == 1 ? state.randomAddress : state.publicAddress }
        ?? state.randomAddress ?? state.publicAddress)
    let link = Link(
      id: 0, adapter: adapter, connection: UInt32(event.handle), local: local,
      peer: event.peer, peerType: event.peerType,
      role: event.isLE ? (isCentral ? .central : .peripheral) : nil)
    guard let slot = addConnection(link, isLE: event.isLE, wasSeenOpening: true) else { return }
    if let pace = event.pace { facts.change(connections[slot].link.id) { $0.pace = pace } }
    tell(.connected(event.pace), of: slot)
  }

  /// Makes a slot for a connection and returns it; nil where there are too many.
  @discardableResult
  mutating func addConnection(_ link: Link, isLE: Bool, wasSeenOpening: Bool) -> Int? {
    var link = link
    link.id = -1
    if let peer = link.peer {
      let identity = addresses.identity(of: peer)
      if identity != peer { link.identity = identity }
    }
    let connection = Connection(link: link, isLE: isLE, wasSeenOpening: wasSeenOpening)
    connection.firstFrame = frame
    connection.firstTime = time
    let slot: Int
    if let free = freeSlots.popLast() {
      connections[free] = connection
      slot = free
    } else if connections.count < LinkDissector.connectionLimit {
      connections.append(connection)
      slot = connections.count - 1
    } else {
      note(.connectionLimit, "more than \(LinkDissector.connectionLimit) connections are open")
      return nil
    }
    index[link] = slot
    openSlots[link.adapter, default: []].insert(slot)
    if isLE && (wasSeenOpening || link.isFromAir) { confirm(slot) }
    return slot
  }

  /// A connection is one that may carry ATT: it gets its number.
  mutating func confirm(_ slot: Int) {
    guard !connections[slot].isConfirmed else { return }
    connections[slot].isConfirmed = true
    connections[slot].link.id = nextLinkID
    nextLinkID += 1
    let adapter = connections[slot].link.adapter
    if connectedAdapters.count < 1024 { connectedAdapters.insert(adapter) }
    beginFacts(of: connections[slot])
    for notice in connections[slot].heldNotices { notices.append(notice) }
    connections[slot].heldNotices = []
  }

  /// Notes something odd about a connection's data.
  mutating func note(_ slot: Int, _ code: Notice.Code, _ text: String) {
    guard !connections[slot].isConfirmed else {
      note(code, text)
      return
    }
    if connections[slot].heldNotices.count < 4 {
      connections[slot].heldNotices.append(
        Notice(code: code, frame: frame, time: time, text: text))
    }
  }

  private mutating func closeAll(adapter: Int) {
    for slot in (openSlots[adapter] ?? []).sorted() { close(slot, end: .reset) }
  }

  /// Ends a connection: nothing of it waits any more, and its handle is free.
  ///
  /// Without an `end` it is the capture that ends.
  mutating func close(_ slot: Int, end: Disconnection? = nil) {
    takeGateChange(slot)
    closeGate(slot)
    for bearer in connections[slot].bearers.indices {
      settlePending(slot, bearer: bearer, client: .local)
      settlePending(slot, bearer: bearer, client: .peer)
    }
    concludeFacts(slot, end: end)
    if let end { tell(.disconnected(end), of: slot) }
    let link = connections[slot].link
    collector.closed(connections[slot], frame: frame)
    if connections[slot].hasUnresolved {
      for side in [Side.local, .peer] {
        knowledge.rememberLate(
          connections[slot].tables[side.rawValue], of: ServerKey(link: link.id, side: side))
      }
      knowledgeGeneration += 1
    }
    if index[link] == slot { index[link] = nil }
    for table in connections[slot].tables { openEntryCount -= table.entryCount }
    pendingBytes -= connections[slot].pendingBytes
    enhancedBearerCount -= connections[slot].bearers.count - 1
    openSlots[link.adapter]?.remove(slot)
    if openSlots[link.adapter]?.isEmpty == true { openSlots[link.adapter] = nil }
    // An id of 0 marks a free slot.
    connections[slot] = Connection(
      link: Link(id: 0, adapter: 0, connection: 0), isLE: false, wasSeenOpening: false)
    freeSlots.append(slot)
  }
}
