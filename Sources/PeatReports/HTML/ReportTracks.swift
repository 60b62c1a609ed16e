import PeatDissection
import PeatProtocol
import PeatReplay
import PeatTimeline

/// How far each node was behind the mesh, and where it was, in bounded room.
struct ReportTracks {
  /// Nodes, and points of each, on the map.
  private static let nodeLimit = 64
  private static let pointLimit = 600

  /// One point of a line.
  struct Lag: Equatable {
    var at: Int
    var behind: Int
  }

  struct Fix: Equatable {
    var at: Int
    var latitude: Float
    var longitude: Float
  }

  private(set) var lags: [NodeID: [Lag]] = [:]
  private(set) var fixes: [NodeID: [Fix]] = [:]
  /// Positions that each node told, those that were let go too.
  private(set) var fixCounts: [NodeID: Int] = [:]

  mutating func take(_ row: TimelineRow, at: Int) {
    guard let document = row.document, row.value.outcome == nil, row.cutBy == nil else { return }
    let node = document.document.node
    takeLag(node, row.effect.meshTotal, document.document.counter.total, at)
    if let location = document.shownPeripheral?.location { takeFix(node, location, at) }
  }

  private mutating func takeLag(_ node: NodeID, _ mesh: UInt64, _ own: UInt64, _ at: Int) {
    guard lags[node] != nil || lags.count < ReportTracks.nodeLimit else { return }
    // Both are sums modulo 2^64.
    let behind = mesh >= own ? Int(clamping: mesh - own) : 0
    var line = lags.removeValue(forKey: node) ?? []
    if line.last?.behind != behind { line.append(Lag(at: at, behind: behind)) }
    if line.count > ReportTracks.pointLimit {
      // Of two points the worse stays, so that no delay disappears.
      line = stride(from: 0, to: line.count, by: 2).map { place in
        let one = line[place]
        guard place + 1 < line.count, line[place + 1].behind > one.behind else { return one }
        return Lag(at: one.at, behind: line[place + 1].behind)
      }
    }
    lags[node] = line
  }

  private mutating func takeFix(_ node: NodeID, _ location: Location, _ at: Int) {
    guard location.latitude.isFinite, location.longitude.isFinite,
      fixes[node] != nil || fixes.count < ReportTracks.nodeLimit
    else { return }
    var track = fixes.removeValue(forKey: node) ?? []
    let fix = Fix(at: at, latitude: location.latitude, longitude: location.longitude)
    if track.last.map({ $0.latitude != fix.latitude || $0.longitude != fix.longitude }) ?? true {
      fixCounts[node, default: 0] += 1
      track.append(fix)
      if track.count > ReportTracks.pointLimit {
        track = stride(from: 0, to: track.count, by: 2).map { track[$0] }
      }
    }
    fixes[node] = track
  }
}
