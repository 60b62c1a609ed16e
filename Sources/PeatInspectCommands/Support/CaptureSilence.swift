import BluetoothProtocols
import PeatDissection
import PeatTimeline

/// Why a capture shows no message, or not all: facts of the layers below, each in one sentence.
struct CaptureSilence {
  private let stream: CaptureStream

  init(_ stream: CaptureStream) { self.stream = stream }

  /// Why not one message was found, without the file's name; nil where there was one.
  var reason: String? {
    guard stream.valueCount == 0 else { return nil }
    if stream.dissector.frameCount == 0 {
      return "the capture holds no packets, only a file header"
    }
    let traffic = stream.dissector.traffic
    if traffic.air > 0 && traffic.data == 0 { return reasonOnAir }
    if traffic.data == 0 { return reasonWithoutData }
    if traffic.headersOnly > 0 {
      return
        "the recorder kept only the headers of \(counted(traffic.headersOnly, "data packet")); "
        + "record whole packets" + peatAdvertisers
    }
    if stream.dissector.connectionCount == 0 {
      return "no LE connection in this capture: its data are of other links" + peatAdvertisers
    }
    return reasonOnLinks
  }

  private var reasonOnLinks: String {
    let unnamed = stream.dissector.unresolvedCount
    if unnamed > 0 {
      return "\(counted(unnamed, "value")) came on handles that "
        + (hasUndiscovered ? "no discovery in the capture names" : "discovery did not name")
        + "; " + remedy
    }
    if stream.dissector.discoveredTypes.contains(where: \.isDocument) {
      return "the Peat document was discovered, and no value of it is in the capture"
        + peatAdvertisers
    }
    return "no discovered characteristic is a Peat document (f47b, f47a0003-…); "
      + "add another one with --characteristic" + foreignCharacteristics + peatAdvertisers
  }

  /// The characteristics of nobody's standard that were found, as one of them may be it.
  private var foreignCharacteristics: String {
    let found = stream.dissector.discoveredTypes.map(\.uuid)
      .filter { $0.short == nil && AttributeNames.name(of: $0) == nil }
    guard !found.isEmpty else { return "" }
    let more = found.count > 3 ? " and \(found.count - 3) more" : ""
    let names = found.prefix(3).map(\.description).joined(separator: ", ")
    return " (found: \(names)\(more))"
  }

  private var reasonOnAir: String {
    let air = stream.dissector.airStatistics
    if stream.dissector.unresolvedCount > 0 { return reasonOnLinks }
    if air.unreadablePayloads > 0 {
      return "what was heard of the connections is encrypted: "
        + "\(counted(air.unreadablePayloads, "packet")) cannot be read from the air; record the HCI "
        + "of one of the devices instead"
    }
    if let first = air.unfollowed.first, stream.dissector.connectionCount == 0 {
      let more = air.unfollowedCount - 1
      let subject =
        more == 0 ? "a connection was" : "\(counted(more + 1, "connection")) were"
      return "\(subject) asked for (\(first.request.initiator) to \(first.request.advertiser)"
        + (more == 0 ? "" : " first") + ") and not followed by the sniffer: no packet of "
        + (more == 0 ? "it" : "them") + " was heard" + peatAdvertisers
    }
    if stream.dissector.connectionCount == 0 {
      return "no LE connection in this capture: only advertising was heard" + peatAdvertisers
    }
    return reasonOnLinks
  }

  private var reasonWithoutData: String {
    let traffic = stream.dissector.traffic
    if traffic.control == 0 {
      return "the capture holds no HCI packets that carry data" + peatAdvertisers
    }
    let count = counted(traffic.control, "HCI command or event", "HCI commands and events")
    let connections = stream.dissector.connectionCount
    if connections == 0 {
      return "no LE connection in this capture, and no ACL data: only \(count)" + peatAdvertisers
    }
    return "no ACL data in this capture, only \(count), although "
      + (connections == 1 ? "a connection was opened" : "\(connections) connections were opened")
      + ": the log was filtered; record whole packets" + peatAdvertisers
  }

  private var peatAdvertisers: String {
    let count = stream.dissector.advertisers.all.count { $0.isPeat }
    return count == 0 ? "" : "; \(counted(count, "device")) advertised Peat"
  }

  /// Whether values came on handles of a server without any discovery.
  private var hasUndiscovered: Bool {
    stream.dissector.unnamedHandles.contains { $0.reason == .noDiscovery }
  }

  /// What names a handle: where the server was asked, no earlier beginning helps.
  private var remedy: String {
    hasUndiscovered
      ? "record from before the connection, or say which one it is with --handle"
      : "say which one it is with --handle"
  }

  /// How many values on which handles are not shown, and why; nil where all are.
  var unnamed: String? {
    let count = stream.dissector.unresolvedCount
    guard count > 0 else { return nil }
    var values: [Place: Int] = [:]
    for handle in stream.dissector.unnamedHandles {
      values[Place(handle: handle.handle, reason: handle.reason), default: 0] += handle.values
    }
    let most = values.sorted {
      ($1.value, $0.key.handle, $0.key.reason.rawValue)
        < ($0.value, $1.key.handle, $1.key.reason.rawValue)
    }
    var places = most.prefix(8).map { place, count in
      "\(HandleText.text(place.handle)) \(count), \(CaptureSilence.clause(place.reason))"
    }
    if most.count > 8 { places.append("\(counted(most.count - 8, "more handle"))") }
    return counted(count, "value") + (count == 1 ? " was" : " were") + " not shown"
      + (places.isEmpty ? "" : " (by handle \(places.joined(separator: "; ")))")
      + ", as nothing in the capture names the handle; " + remedy
  }
}

extension CaptureSilence {
  private struct Place: Hashable {
    var handle: UInt16
    var reason: UnnamedReason
  }

  private static func clause(_ reason: UnnamedReason) -> String {
    switch reason {
    case .noDiscovery: "no discovery of its server"
    case .notFound: "no answer of discovery names it"
    case .changed: "its server changed its table"
    case .discoveryLost: "answers of discovery are lost or cut"
    }
  }
}

/// A number with its noun; an irregular plural is given.
func counted(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
}
