import BluetoothProtocols
import WireBytes

/// Indications that look like Service Changed on handles that nothing names yet: whether they were
/// shows once discovery names the handle, in this capture or in an earlier one (Vol 3 Part G, 7.1).
struct StrayIndications: Sendable {
  /// Indications remembered; what is more is forgotten.
  private static let limit = 256

  struct Indication: Sendable {
    var handle: UInt16
    var range: ClosedRange<UInt16>
    var key: ServerKey
    var identity: ServerIdentity?
    var frame: Int
  }

  private(set) var all: [Indication] = []

  var isEmpty: Bool { all.isEmpty }

  /// Notes an indication whose value is a range of handles.
  mutating func note(
    _ handle: UInt16, _ value: RawSpan, _ key: ServerKey, _ identity: ServerIdentity?, frame: Int
  ) {
    guard value.byteCount == 4, all.count < StrayIndications.limit else { return }
    var reader = ByteReader(value, layer: .att)
    guard let start = try? reader.le16(), let end = try? reader.le16(), 0 < start, start <= end
    else { return }
    all.append(
      Indication(
        handle: handle, range: start...end, key: key, identity: identity, frame: frame))
  }

  /// Takes those of a server whose handle is Service Changed, as it turns out.
  mutating func take(
    of key: ServerKey, _ identity: ServerIdentity?, where isServiceChanged: (UInt16) -> Bool
  ) -> [Indication] {
    let understood = all.filter {
      ($0.key == key || (identity != nil && $0.identity == identity)) && isServiceChanged($0.handle)
    }
    if !understood.isEmpty {
      all.removeAll {
        ($0.key == key || (identity != nil && $0.identity == identity))
          && isServiceChanged($0.handle)
      }
    }
    return understood
  }
}
