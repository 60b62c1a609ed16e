public import PeatProtocol
import PeatTimeline
public import WireBytes

/// An emergency: who raised it, and what became of it at every node.
public struct Emergency: Sendable {
  /// What became of it at one node.
  public enum Outcome: String, Sendable {
    case acked, carried
    case notReached = "not_reached"
    case unknown
  }

  /// One node's part.
  public struct Node: Sendable {
    /// The node.
    public let id: NodeID
    /// How far it came there.
    public let outcome: Outcome
    /// When a document of its own carried the emergency first, where one did.
    public let carried: Timestamp?
    /// When its acknowledgement was seen first, where it was.
    public let acked: Timestamp?
    /// The code of why not (docs/cli.md); nil where it acknowledged.
    public let why: String?
    /// The same as a sentence.
    public let text: String?
    /// The packets that show it.
    public let frames: [Int]
  }

  /// Who raised it.
  public let source: NodeID
  /// The source's own time of it, in milliseconds since 1970.
  public let stamp: UInt64
  /// When it was raised, as far as that can be told.
  public let raised: Timestamp?
  /// The first packet that carried it.
  public let firstFrame: Int
  /// Ascending by id, the source among them.
  public let nodes: [Node]
  /// The answer in one line.
  public let verdict: String

  init(_ story: EmergencyStory, _ words: EmergencyWords) {
    source = story.identity.source
    stamp = story.identity.time
    raised = story.raised
    firstFrame = story.firstSeen.frame
    nodes = story.nodes.map { node in
      Node(
        id: node.node, outcome: Outcome(node.outcome), carried: node.carried?.time,
        acked: node.acked?.sighted.time, why: node.evidence?.reason.rawValue,
        text: words.text(node, story), frames: node.evidence?.frames ?? [])
    }
    verdict = words.verdict(story)
  }
}

extension Emergency.Outcome {
  init(_ outcome: EmergencyNode.Outcome) {
    self =
      switch outcome {
      case .acked: .acked
      case .carried: .carried
      case .notReached: .notReached
      case .unknown: .unknown
      }
  }
}
