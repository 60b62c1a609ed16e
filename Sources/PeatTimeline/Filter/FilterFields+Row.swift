import BluetoothProtocols
import PeatDissection
import PeatProtocol
import PeatReplay
import WireBytes

extension FilterField {
  /// The fields of a row around its message: carriage in front, effect and findings behind.
  static let rowFields: [FilterField] =
    [
      text("file", "the capture as named") { row, test in test(row.file) },
      integer("frame", "the packet's number in its file") { row, test in
        test(Int128(row.value.frame))
      },
      ordered(
        "time", .time, "when it was recorded, in the notations of --from",
        parse: { text, times in times(text) },
        each: { row, test in row.value.time.map { test($0.nanoseconds) } ?? false }),
      decimal("elapsed", "seconds from the first packet") { row, test in
        row.elapsed.map { test(Double($0) / 1e9) } ?? false
      },
    ] + linkFields + attributeFields + outcomeFields

  private static let linkFields: [FilterField] = [
    integer("link.id", "the connection, counted over the run") { row, test in
      test(Int128(row.value.link.id))
    },
    integer("link.adapter", "the adapter or interface") { row, test in
      test(Int128(row.value.link.adapter))
    },
    integer("link.connection", "the connection handle or access address") { row, test in
      test(Int128(row.value.link.connection))
    },
    address("link.local", "the address of the capturing host") { row, test in
      row.value.link.local.map(test) ?? false
    },
    address("link.peer", "the address of the other device") { row, test in
      row.value.link.peer.map(test) ?? false
    },
    word(
      "link.peer_type", "the sort of that address", [("public", "public"), ("random", "random")]
    ) { row, test in row.value.link.peerType.map { test($0.name) } ?? false },
    word(
      "link.role", "the capturing host's part",
      [("central", Link.Role.central), ("peripheral", .peripheral)]
    ) { row, test in row.value.link.role.map(test) ?? false },
    word(
      "direction", "which way it went",
      [ValueDirection.sent, .received, .toPeripheral, .toCentral].map { ($0.rawValue, $0) }
    ) { row, test in test(row.value.direction) },
    flag("direction_guessed", "whether the container told no direction") {
      $0.value.isDirectionGuessed
    },
  ]

  private static let attributeFields: [FilterField] = [
    word("att.opcode", "how the value was carried", opcodes) { row, test in
      test(row.value.opcode)
    },
    integer("att.handle", "the attribute handle") { row, test in
      test(Int128(row.value.handle))
    },
    uuid("att.characteristic", "the characteristic") { row, test in
      row.value.characteristic.map(test) ?? false
    },
    uuid("att.service", "the service") { row, test in row.value.service.map(test) ?? false },
    word(
      "att.resolved_by", "how the handle became known",
      [HandleResolution.discovery, .otherConnection, .cache, .option, .content].map {
        ($0.rawValue, $0)
      }
    ) { row, test in row.value.resolution.map(test) ?? false },
    integer("att.mtu", "the MTU in force") { row, test in test(Int128(row.value.mtu)) },
    integer("att.channel", "the L2CAP channel, where not the fixed one") { row, test in
      row.value.channel.map { test(Int128($0)) } ?? false
    },
    word(
      "att.outcome", "what became of a write that was not taken",
      [("refused", "refused"), ("cancelled", "cancelled")]
    ) { row, test in row.value.outcome.map { test($0.name) } ?? false },
    integer("att.error", "the ATT error code of a refused write") { row, test in
      if case .refused(let code)? = row.value.outcome { test(Int128(code)) } else { false }
    },
    integer("att.frames", "the packets that carried parts") { row, test in
      row.value.frames.contains { test(Int128($0)) }
    },
    integer("bytes", "the length of the value") { row, test in test(Int128(row.value.length)) },
    integer("captured", "the bytes present, where fewer") { row, test in
      row.value.isCutByCapture && test(Int128(row.value.payload.count))
    },
    word(
      "cut_by", "who cut the value",
      [("capture", TimelineRow.Cut.capture), ("mtu", .mtu)]
    ) { row, test in row.cutBy.map(test) ?? false },
    bytes("payload", "the bytes present") { row, test in test(row.value.payload) },
  ]

  private static let opcodes: [(String, ValueOpcode)] = [
    ValueOpcode.writeRequest, .writeCommand, .signedWriteCommand, .notification, .indication,
    .multipleNotification, .readResponse, .readBlob, .readByTypeResponse, .readMultiple,
    .readMultipleVariable, .executeWrite, .advertisement,
  ].map { ($0.rawValue, $0) }

  private static let outcomeFields: [FilterField] =
    receiverFields + [
      flag("effect.changed", "whether the mesh's counters or emergency changed") {
        $0.effect.isChanged
      },
      text("effect.first_seen", "news, such as counter:12345678=5") { row, test in
        row.effect.firstSeen.contains { test($0.description) }
      },
      integer("effect.mesh_total", "the mesh's total behind it") { row, test in
        test(Int128(row.effect.meshTotal))
      },
      word(
        "finding", "a code of 'check --list'",
        FindingCode.allCases.map { ($0.rawValue, $0) }
      ) { row, test in row.findings.contains { test($0.code) } },
      ordered(
        "finding.severity", .rank(Severity.allCases.map(\.rawValue)), "how much a finding matters",
        parse: { text, _ in Severity(rawValue: text) },
        each: { row, test in row.findings.contains { test($0.severity) } }),
      text("finding.message", "a finding's sentence") { row, test in
        row.findings.contains { test($0.message) }
      },
    ]

  private static let receiverFields: [FilterField] =
    [
      flag("receivers", "whether a receiver does not plainly accept it") { row in
        !row.receivers.isEmpty
      }
    ]
    + Receiver.allCases.map { receiver in
      text("receivers.\(receiver.rawValue)", "what \(receiver.name) makes of it") { row, test in
        row.receivers.contains { $0.receiver == receiver && test($0.text) }
      }
    }
}
