/// How much a finding matters.
package enum Severity: String, Sendable, Comparable {
  case note, warning, error

  package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .note: 0
    case .warning: 1
    case .error: 2
    }
  }
}

/// Something that a message's reader should know of it; the raw value is the stable code.
package enum FindingCode: String, Sendable, CaseIterable {
  case cutByCapture = "cut-by-capture"
  case cutByMTU = "cut-by-mtu"
  case droppedPackets = "dropped-packets"

  /// How much it matters.
  package var severity: Severity {
    switch self {
    case .cutByCapture, .cutByMTU, .droppedPackets: .warning
    }
  }
}

/// A finding on one message.
package struct Finding: Sendable, Equatable {
  package var code: FindingCode
  /// One sentence for a person.
  package var message: String

  package var severity: Severity { code.severity }

  package init(_ code: FindingCode, _ message: String) {
    self.code = code
    self.message = message
  }
}
