import BluetoothProtocols
import WireBytes

extension LinkDissector {
  /// Signalling: opening and closing of the channels that carry ATT. On BR/EDR a frame may hold
  /// several commands.
  mutating func signalling(_ slot: Int, sender: Side, _ reader: inout ByteReader) {
    while reader.remaining >= 4 {
      do throws(DecodeError) {
        signal(slot, sender: sender, try SignallingCommand(&reader))
      } catch {
        return
      }
    }
  }

  private mutating func signal(_ slot: Int, sender: Side, _ command: SignallingCommand) {
    switch command {
    case .classicConnectionRequest(let identifier, let multiplexer, let source):
      guard multiplexer == SignallingCommand.classicATT, !connections[slot].isLE else { return }
      noteOpening(
        slot,
        ChannelTable.Opening(
          requester: sender, identifier: identifier, mtu: ATTBearer.classicMTU, sources: [source]))
    case .classicConnectionResponse(let identifier, let destination, let source, let result):
      // A result of 1 is not the last word.
      guard result != 1, let opening = takeOpening(slot, answeredBy: sender, identifier) else {
        return
      }
      guard result == 0, opening.sources == [source] else { return }
      addBearer(
        slot, requester: opening.requester, source: source, destination: destination,
        mtu: opening.mtu, isBasic: true)
      confirm(slot)
    case .configurationRequest(_, let destination, let mtu):
      // The channel's MTU is the smaller of what both ends take.
      guard let mtu,
        let channel = connections[slot].channels.index(receiver: sender.other, cid: destination),
        connections[slot].channels.channels[channel].isBasic
      else { return }
      let bearer = connections[slot].channels.channels[channel].bearer
      connections[slot].bearers[bearer].mtu = max(
        ATTBearer.defaultMTU, min(connections[slot].bearers[bearer].mtu, Int(mtu)))
    case .connectionRequest(let identifier, let multiplexer, let mtu, let sources):
      guard multiplexer == SignallingCommand.enhancedATT else { return }
      noteOpening(
        slot,
        ChannelTable.Opening(
          requester: sender, identifier: identifier, mtu: Int(mtu), sources: sources))
    case .connectionResponse(let identifier, let mtu, let destinations):
      guard let opening = takeOpening(slot, answeredBy: sender, identifier) else { return }
      for (source, destination) in zip(opening.sources, destinations) where destination != 0 {
        addBearer(
          slot, requester: opening.requester, source: source, destination: destination,
          mtu: min(opening.mtu, Int(mtu)), isBasic: false)
      }
    case .reconfigurationRequest(_, let mtu, let destinations):
      // The sender can take more from now on; the bearer's MTU is the smaller of both.
      for cid in destinations {
        if let channel = connections[slot].channels.index(receiver: sender, cid: cid) {
          let bearer = connections[slot].channels.channels[channel].bearer
          connections[slot].bearers[bearer].mtu = max(
            connections[slot].bearers[bearer].mtu, Int(mtu))
        }
      }
    case .disconnectionRequest(_, let destination, let source):
      removeChannel(slot, receiver: sender.other, cid: destination)
      removeChannel(slot, receiver: sender, cid: source)
    case .other: break
    }
  }

  private mutating func noteOpening(_ slot: Int, _ opening: ChannelTable.Opening) {
    connections[slot].channels.openings.removeAll {
      $0.requester == opening.requester && $0.identifier == opening.identifier
    }
    guard connections[slot].channels.openings.count < ChannelTable.limit else { return }
    connections[slot].channels.openings.append(opening)
  }

  private mutating func takeOpening(
    _ slot: Int, answeredBy sender: Side, _ identifier: UInt8
  ) -> ChannelTable.Opening? {
    guard
      let place = connections[slot].channels.openings.firstIndex(where: {
        $0.requester == sender.other && $0.identifier == identifier
      })
    else { return nil }
    return connections[slot].channels.openings.remove(at: place)
  }

  private mutating func addBearer(
    _ slot: Int, requester: Side, source: UInt16, destination: UInt16, mtu: Int, isBasic: Bool
  ) {
    removeChannel(slot, receiver: requester, cid: source)
    removeChannel(slot, receiver: requester.other, cid: destination)
    guard connections[slot].channels.channels.count < ChannelTable.limit else { return }
    var bearer = ATTBearer()
    bearer.mtu = max(ATTBearer.defaultMTU, mtu)
    let number: Int
    if enhancedBearerCount < ChannelTable.totalLimit,
      connections[slot].bearers.count <= ChannelTable.bearerLimit
    {
      number = connections[slot].bearers.count
      connections[slot].bearers.append(bearer)
      enhancedBearerCount += 1
    } else if let free = freeBearer(slot) {
      for client in connections[slot].bearers[free].clients {
        changePending(slot, by: -client.preparedBytes)
      }
      number = free
      connections[slot].bearers[free] = bearer
    } else {
      return
    }
    connections[slot].channels.channels.append(
      ChannelTable.Channel(receiver: requester, cid: source, bearer: number, isBasic: isBasic))
    connections[slot].channels.channels.append(
      ChannelTable.Channel(
        receiver: requester.other, cid: destination, bearer: number, isBasic: isBasic))
  }

  /// A bearer whose channels are both closed.
  private func freeBearer(_ slot: Int) -> Int? {
    var isFree = connections[slot].bearers.map { _ in true }
    isFree[0] = false
    for channel in connections[slot].channels.channels { isFree[channel.bearer] = false }
    return isFree.firstIndex(of: true)
  }

  private mutating func removeChannel(_ slot: Int, receiver: Side, cid: UInt16) {
    guard let place = connections[slot].channels.index(receiver: receiver, cid: cid) else {
      return
    }
    let channel = connections[slot].channels.channels.remove(at: place)
    changePending(slot, by: -channel.pendingBytes)
    let bearer = channel.bearer
    settlePending(slot, bearer: bearer, client: .local)
    settlePending(slot, bearer: bearer, client: .peer)
  }

  /// A frame on a credit-based channel: the first of an SDU begins with the SDU's length.
  ///
  /// Core Specification Vol 3 Part A, 3.4.3.
  mutating func channelData(
    _ slot: Int, sender: Side, cid: UInt16, _ reader: inout ByteReader, length: Int,
    frames: [Int]?, isGuessed: Bool
  ) {
    guard let place = connections[slot].channels.index(receiver: sender.other, cid: cid) else {
      return
    }
    var channel = connections[slot].channels.channels[place]
    if channel.isBasic {
      att(
        slot, bearer: channel.bearer, sender: sender, &reader, length: length, frames: frames,
        channel: cid, isGuessed: isGuessed)
      return
    }
    let before = channel.pendingBytes
    connections[slot].channels.channels[place].sdu = []
    var length = length
    if channel.sduLength == nil {
      do throws(DecodeError) { channel.sduLength = Int(try reader.le16()) } catch { return }
      length -= 2
      channel.sdu = []
      channel.sduReceived = 0
      channel.frames = []
    }
    if channel.sdu.count == channel.sduReceived { channel.sdu += reader.rest() }
    channel.sduReceived += max(0, length)
    if channel.frames.count < 4096 { channel.frames += frames ?? [frame] }
    let sduLength = channel.sduLength ?? 0
    if channel.sduReceived < sduLength {
      connections[slot].channels.channels[place] = channel
      changePending(slot, by: channel.pendingBytes - before)
      return
    }
    let whole = channel.sdu
    let carriers = channel.frames
    let isOverrun = channel.sduReceived > sduLength
    changePending(slot, by: -before)
    channel.reset()
    connections[slot].channels.channels[place] = channel
    if isOverrun {
      note(.aclOverrun, "more bytes came on channel \(cid) than its SDU announced")
      return
    }
    var sdu = ByteReader(whole.rawBytes, layer: .att)
    att(
      slot, bearer: channel.bearer, sender: sender, &sdu, length: sduLength, frames: carriers,
      channel: cid, isGuessed: isGuessed)
  }
}
