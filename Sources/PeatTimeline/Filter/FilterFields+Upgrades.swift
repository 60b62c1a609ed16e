import FirmwareUpgrades
import SMPProtocol
import WireBytes

extension FilterField {
  /// The fields of messages of firmware upgrades.
  static let upgradeFields: [FilterField] = [
    word(
      "smp.op", "what a message of a firmware upgrade does",
      [SMPHeader.Operation.read, .readResponse, .write, .writeResponse].map { ($0.name, $0) }
    ) { row, test in row.smp.map { test($0.header.operation) } ?? false },
    integer("smp.version", "the protocol's version") { row, test in
      row.smp.map { test(Int128($0.header.version)) } ?? false
    },
    integer("smp.group", "the group of commands") { row, test in
      row.smp.map { test(Int128($0.header.group)) } ?? false
    },
    integer("smp.command", "the command in its group") { row, test in
      row.smp.map { test(Int128($0.header.command)) } ?? false
    },
    integer("smp.sequence", "the request's number; the answer has it too") { row, test in
      row.smp.map { test(Int128($0.header.sequence)) } ?? false
    },
    text("smp.name", "the command, such as image upload") { row, test in
      row.smp.flatMap { SMPNames.command($0.header.command, of: $0.header.group) }.map(test)
        ?? false
    },
    integer("smp.transaction", "counts the requests of a connection; answers have theirs") {
      row, test in row.smp?.transaction.map { test(Int128($0)) } ?? false
    },
    integer("smp.rc", "the code of a refusal, in either form") { row, test in
      row.smp?.refusal.map { test(Int128($0.code)) } ?? false
    },
    integer("smp.off", "an offset in an image or file, of a request or an answer") { row, test in
      row.smp?.message?.body["off"]?.integer.map { test(Int128($0)) } ?? false
    },
  ]
}
