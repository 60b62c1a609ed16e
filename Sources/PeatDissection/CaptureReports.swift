public import BluetoothProtocols
public import WireBytes

/// What a capture leaves out of the packets that it holds.
public struct CutCounts: Sendable, Equatable {
  /// Data packets of which only the first bytes are there.
  public internal(set) var packets = 0
  /// Answers of attribute discovery among them.
  public internal(set) var discoveryAnswers = 0
  /// The first cut discovery answer.
  var firstDiscovery: (frame: Int, time: Timestamp?)?

  /// Whether as much was cut.
  public static func == (left: CutCounts, right: CutCounts) -> Bool {
    left.packets == right.packets && left.discoveryAnswers == right.discoveryAnswers
  }

  /// One warning a file, however many answers were cut.
  var notice: Notice? {
    guard let firstDiscovery else { return nil }
    return Notice(
      code: .discoveryCut, frame: firstDiscovery.frame, time: firstDiscovery.time,
      text: "the capture cut discovery answers (\(discoveryAnswers), this is the first), so which "
        + "handles are the document may not be in the file")
  }
}

/// What was learnt of one handle whose values were met on a connection.
public struct HandleReport: Sendable, Equatable {
  /// The handle.
  public var handle: UInt16
  /// The type of the characteristic, where it is known.
  public var characteristic: BluetoothUUID?
  /// From where the handle is known; nil where nothing named it and its values were given up.
  public var resolution: HandleResolution?
  /// Values met.
  public var values: Int
}

/// What was met of one LE connection, for `-v`.
public struct ConnectionReport: Sendable, Equatable {
  /// The connection.
  public var link: Link
  /// The packet that opened it, or the first one of it.
  public var firstFrame: Int
  /// The packet that closed it, or the last of the file.
  public var lastFrame: Int
  /// Whether its beginning is in the capture.
  public var wasSeenOpening: Bool
  /// Whether its data was encrypted on air; HCI shows it in clear all the same.
  public var isEncrypted: Bool
  /// The ATT MTU of the fixed channel at its end.
  public var mtu: Int
  /// ATT bearers besides the fixed channel.
  public var enhancedBearers: Int
  /// Handles that values were met on, ascending.
  public var handles: [HandleReport] = []
}

/// Something a Linux monitor record tells besides packets (formats.md 3).
public struct MonitorNote: Sendable, Equatable {
  /// The packet, counted in its file from 1.
  public var frame: Int
  /// When it was recorded.
  public var time: Timestamp?
  /// The adapter, nil where it belongs to none.
  public var adapter: Int?
  /// One clause for a person; parts come from the file and may hold any character.
  public var text: String
}

/// Collects reports while a capture is read; everything in it is bounded.
struct ReportCollector: Sendable {
  /// Connections and handles that are told of; further ones are only counted.
  private static let limit = 512

  private struct Use: Hashable {
    var link: Int
    var handle: UInt16
    var characteristic: BluetoothUUID?
    var resolution: HandleResolution?
  }

  private var connections: [ConnectionReport] = []
  private var uses: [Use: Int] = [:]

  mutating func met(_ value: CapturedValue) {
    guard value.owner == .peat else { return }
    let use = Use(
      link: value.link.id, handle: value.handle, characteristic: value.characteristic,
      resolution: value.resolution)
    if uses[use] != nil || uses.count < ReportCollector.limit { uses[use, default: 0] += 1 }
  }

  mutating func closed(_ connection: Connection, frame: Int) {
    guard connection.isConfirmed, connection.link.id > 0, connections.count < ReportCollector.limit
    else { return }
    connections.append(
      ConnectionReport(
        link: connection.link, firstFrame: connection.firstFrame, lastFrame: frame,
        wasSeenOpening: connection.wasSeenOpening, isEncrypted: connection.isEncrypted,
        mtu: (connection.isLE ? connection.bearers[0] : connection.bearers.last)?.mtu
          ?? ATTBearer.defaultMTU,
        enhancedBearers: connection.isLE ? connection.bearers.count - 1 : 0))
  }

  /// The reports, ascending by connection.
  var reports: [ConnectionReport] {
    var reports = connections.sorted { $0.link.id < $1.link.id }
    for (use, count) in uses {
      guard let index = reports.firstIndex(where: { $0.link.id == use.link }) else { continue }
      reports[index].handles.append(
        HandleReport(
          handle: use.handle, characteristic: use.characteristic, resolution: use.resolution,
          values: count))
    }
    for index in reports.indices {
      reports[index].handles.sort {
        ($0.handle, $0.resolution?.rawValue ?? "") < ($1.handle, $1.resolution?.rawValue ?? "")
      }
    }
    return reports
  }
}
