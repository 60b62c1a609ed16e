import PeatReports
import WireBytes

/// Who was linked when: a bar for each peer, over the time of the run but at most the last hour.
enum LinksView {
  /// Nanoseconds after which a connection that ended is not shown any more.
  private static let longest: Int64 = 3_600_000_000_000
  /// Peers shown; of more, those linked last.
  private static let limit = 200

  private struct Peer {
    var name: String
    var links: [ScreenLink]
  }

  static func lines(_ status: ScreenStatus, _ columns: Int) -> [ScreenLine] {
    let peers = peers(status.links)
    let known = status.links.flatMap { [$0.opened, $0.closed ?? $0.opened] }
    guard let first = known.min(), let latest = known.max() else {
      return [ScreenLine("  no link yet", .faint)]
    }
    let end = max(status.now?.nanoseconds ?? latest, latest)
    let (whole, overflow) = end.subtractingReportingOverflow(first)
    let span = overflow ? longest : max(1, min(whole, longest))
    let start = end &- span
    let width = max(10, columns - 52)
    var lines = [
      ScreenLine(
        "  PEER              NOW   LINKS  UP     " + "last \(clock(span))".cells(width)
          + "  LAST END", .bold)
    ]
    for peer in peers.suffix(limit) {
      lines.append(line(peer, start: start, span: span, width: width, columns))
    }
    return lines
  }

  private static func peers(_ links: [ScreenLink]) -> [Peer] {
    var places: [String: Int] = [:]
    var peers: [Peer] = []
    for link in links {
      if let place = places[link.name] {
        peers[place].links.append(link)
      } else {
        places[link.name] = peers.count
        peers.append(Peer(name: link.name, links: [link]))
      }
    }
    return peers
  }

  private static func line(
    _ peer: Peer, start: Int64, span: Int64, width: Int, _ columns: Int
  ) -> ScreenLine {
    let isUp = peer.links.contains { $0.closed == nil }
    var line = ScreenLine()
    line.add("  " + peer.name.replacingUnsafeCharacters().cells(18), .name)
    line.add((isUp ? "up" : "down").cells(6), isUp ? .good : .warning)
    line.add("\(peer.links.count)".cells(7))
    let parts = (0..<width).map { share(peer.links, start, span, slice: $0, of: width) }
    let percent = Int(parts.reduce(0, +) / Double(width) * 100 + 0.5)
    line.add("\(percent)%".cells(7))
    line.add(parts.map { $0 > 0.99 ? "█" : $0 > 0 ? "▄" : "·" }.joined(), .good)
    let reason = peer.links.last { $0.reason != nil }?.reason ?? ""
    line.add(("  " + reason).replacingUnsafeCharacters().cutToCells(columns - line.text.cellCount))
    return line
  }

  /// The part of a slice of time in which any of the links was up.
  private static func share(
    _ links: [ScreenLink], _ start: Int64, _ span: Int64, slice: Int, of count: Int
  ) -> Double {
    let length = Double(span) / Double(count)
    let from = Double(slice) * length
    // Links to one peer seldom overlap; where two adapters see one, it counts once.
    let up = links.reduce(0.0) { sum, link in
      let begin = max(Double(link.opened) - Double(start), from)
      let end = min((link.closed.map { Double($0) - Double(start) }) ?? Double(span), from + length)
      return sum + max(0, end - begin)
    }
    return min(1, up / length)
  }

  private static func clock(_ nanoseconds: Int64) -> String {
    let seconds = nanoseconds / 1_000_000_000
    return seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min"
  }
}
