internal import WireBytes

/// A delta as its sender meant it (protocol.md 7.3).
public struct DeltaReading: Equatable, Sendable {
  /// The two ways of writing one.
  public enum Dialect: Equatable, Sendable {
    case rust(DeltaDocument)
    case kotlin(KotlinDelta)
  }

  /// The delta in the dialect that fits it.
  public var dialect: Dialect
  /// What the reference leaves out of accepted peripherals.
  public var dropped: [Dropped]
  /// Bytes behind the last operation, which are ignored.
  public var trailing: [UInt8]

  /// The node whose changes these are.
  public var origin: NodeID {
    switch dialect {
    case .rust(let delta): delta.origin
    case .kotlin(let delta): delta.origin
    }
  }

  /// Reads the reference's dialect, and Android's where the reference refuses the bytes and all
  /// of them are operations that Android knows.
  ///
  /// - Throws: ``FormatFault`` of the reference's reading where neither fits.
  public init(bytes: [UInt8]) throws(FormatFault) {
    // Bytes have no padding, so their raw view is wholly initialised.
    var reader = unsafe ByteReader(bytes.span.bytes, layer: .peat)
    dropped = []
    do throws(FormatFault) {
      dialect = .rust(try DeltaDocument(decoding: &reader, dropped: &dropped))
      trailing = reader.rest()
    } catch {
      guard let delta = DeltaReading.kotlin(bytes) else { throw error }
      dialect = .kotlin(delta)
      dropped = []
      trailing = []
    }
  }

  private static func kotlin(_ bytes: [UInt8]) -> KotlinDelta? {
    var reader = unsafe ByteReader(bytes.span.bytes, layer: .peat)
    guard let delta = try? KotlinDelta(decoding: &reader), delta.stop == nil, reader.isAtEnd,
      !delta.operations.isEmpty
    else { return nil }
    for case .skipped in delta.operations { return nil }
    return delta
  }
}

extension KotlinDelta.Operation {
  /// The peripheral of operation 0x02, which is in Android's own layout (protocol.md 9.3).
  public var peripheral: Peripheral? {
    guard case .peripheral(_, let body) = self else { return nil }
    return unsafe KotlinCodec.peripheral(body: body.span.bytes)
  }
}
