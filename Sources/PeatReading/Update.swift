public import PeatProtocol
import PeatReplay
import PeatTimeline
public import WireBytes

/// A piece of news and how it spread: a step of a counter, an emergency, an acknowledgement.
public struct Update: Sendable {
  /// A node that came to know it.
  public struct Knower: Sendable {
    /// The node.
    public let id: NodeID
    /// Nanoseconds from the first appearance; nil where a step of a clock lies between.
    public let delay: Int64?
  }

  /// The spelling of records: `counter:NODE=COUNT`, `emergency:NODE@MS`, `ack:NODE=SOURCE@MS`.
  public let name: String
  /// The node that it is of.
  public let origin: NodeID
  /// When it was seen first.
  public let first: Timestamp
  /// By time.
  public let knowers: [Knower]
  /// Nodes that had been seen by then and never showed it; of many, the first.
  public let never: [NodeID]
  /// Nanoseconds until all nodes seen by then knew it.
  public let timeToAll: Int64?

  init(_ story: ConvergenceReport.UpdateStory, _ report: ConvergenceReport) {
    name = "\(story.spread.news)"
    origin = story.spread.news.origin
    first = story.spread.first.time
    knowers = story.spread.knowers.map {
      Knower(id: $0.node, delay: report.delay(of: $0.stamp, since: story.spread.first))
    }
    never = story.never
    timeToAll = story.timeToAll
  }
}
