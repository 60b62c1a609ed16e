/// Names of control messages (Mesh Protocol 1.1, 3.6.5).
public enum ControlOpcode {
  /// The name of an opcode; nil where it is reserved.
  public static func name(of opcode: UInt8) -> String? {
    switch opcode {
    case 0x00: "SegmentAcknowledgment"
    case 0x01: "FriendPoll"
    case 0x02: "FriendUpdate"
    case 0x03: "FriendRequest"
    case 0x04: "FriendOffer"
    case 0x05: "FriendClear"
    case 0x06: "FriendClearConfirm"
    case 0x07: "FriendSubscriptionListAdd"
    case 0x08: "FriendSubscriptionListRemove"
    case 0x09: "FriendSubscriptionListConfirm"
    case 0x0A: "Heartbeat"
    case 0x0B: "PathRequest"
    case 0x0C: "PathReply"
    case 0x0D: "PathConfirmation"
    case 0x0E: "PathEchoRequest"
    case 0x0F: "PathEchoReply"
    case 0x10: "DependentNodeUpdate"
    case 0x11: "PathRequestSolicitation"
    default: nil
    }
  }
}
