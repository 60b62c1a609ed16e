import Foundation
import PeatTestSupport
import Testing

/// Formats for tickets and maps: Markdown, GeoJSON, KML, DOT.
struct TicketFormatTests {
  private static func path(_ name: String) -> String {
    TestData.captures.appendingPathComponent(name).path
  }

  private static let churn = path("e-churn-five.monitor.btsnoop")

  @Test(
    "tables of Markdown have as many cells in each row",
    arguments: ["inspect", "state", "emergencies", "check", "links", "convergence"])
  func tables(command: String) throws {
    let run = try CommandRun([command, "-q", "-f", "markdown", Self.churn])
    let rows = run.lines.filter { $0.hasPrefix("|") }
    #expect(rows.count > 3)
    // A rule begins each table; the row before it is the head.
    var cells = 0
    for (place, row) in rows.enumerated() {
      if place + 1 < rows.count, rows[place + 1].hasPrefix("| ---") {
        cells = row.split(separator: "|", omittingEmptySubsequences: false).count
      }
      let found = row.replacing("\\|", with: "").split(
        separator: "|", omittingEmptySubsequences: false)
      #expect(found.count == cells, "\(row)")
    }
  }

  @Test("a node that did not acknowledge stands in the ticket with why")
  func emergency() throws {
    let run = try CommandRun(["emergencies", "-q", "-f", "markdown", Self.churn])
    let row = try #require(run.lines.first { $0.contains("| BRAVO-2 |") })
    #expect(row.contains("did not acknowledge it in 4 documents until 10:35:33.963"))
  }

  @Test("positions are those of the records, longitude first")
  func positions() throws {
    let run = try CommandRun(["-q", "-f", "geojson", Self.churn])
    let file = try JSON(parsing: Data(run.output))
    #expect(file["type"].string == "FeatureCollection")
    let records = try CommandRun(["-q", "-f", "ndjson", Self.churn]).records()
    let located = records.filter { $0["document"]["peripheral"]["location"] != .null }
    let features = try #require(file["features"].array)
    #expect(features.count == located.count)
    for (feature, record) in zip(features, located) {
      let location = record["document"]["peripheral"]["location"]
      let place = feature["geometry"]["coordinates"]
      #expect(place[0] == location["longitude"])
      #expect(place[1] == location["latitude"])
      #expect(feature["properties"]["frame"] == record["frame"])
    }
    let kml = try CommandRun(["-q", "-f", "kml", Self.churn])
    #expect(kml.text.components(separatedBy: "<Placemark>").count - 1 == located.count)
    #expect(XMLCheck.isWellFormed(Data(kml.output)))
  }

  @Test("the graph has an edge for each connection and direction")
  func graph() throws {
    let run = try CommandRun(["convergence", "-q", "--graph", "dot", Self.churn])
    let links = try CommandRun(["convergence", "-q", "-f", "ndjson", Self.churn]).records()
      .filter { $0["scope"].string == "link" }
    #expect(run.lines.filter { $0.contains(" -> ") }.count == links.count)
    #expect(try CommandRun(["convergence", "-q", "-f", "dot", Self.churn]).text == run.text)
  }

  @Test("a format of another command is refused with those that there are")
  func refused() throws {
    let run = try CommandRun(["emergencies", "-f", "geojson", Self.churn])
    #expect(run.status == 2)
    #expect(run.standardError.contains("markdown"))
    #expect(!run.standardError.contains("kml"))
  }
}

/// Whether bytes are well-formed XML, for as much as these files need.
private enum XMLCheck {
  static func isWellFormed(_ data: Data) -> Bool {
    let text = String(decoding: data, as: UTF8.self)
    var open: [Substring] = []
    for tag in text.matches(of: /<(\/?)([A-Za-z]+)[^<>]*>/) {
      if tag.1.isEmpty {
        open.append(tag.2)
      } else if open.popLast() != tag.2 {
        return false
      }
    }
    return open.isEmpty && !text.contains(/&(?!amp;|lt;|gt;)/)
  }
}
