import BluetoothMesh
import MeshDissection
import MeshSecurity
import WireBytes

extension FilterField {
  /// The fields of a mesh's messages.
  static let meshFields: [FilterField] =
    [
      word("mesh.layer", "how far it was read", names(MeshMessage.Layer.allCases)) { row, test in
        row.mesh.map { test($0.message.layer) } ?? false
      },
      meshText("mesh.carrier", "what carried it, such as gatt-proxy") { $0.channel.name },
      meshText("mesh.net_key", "the net key that opened it, such as net:0") {
        $0.netKey?.description
      },
      meshText("mesh.app_key", "the key that opened the message, such as device:0100") {
        $0.appKey?.description
      },
      meshNumber("mesh.iv_index", "the IV index it was sealed with") {
        $0.ivIndex.map { Int128($0) }
      },
      meshNumber("mesh.ttl", "the hops that were left") { $0.ttl.map { Int128($0) } },
      meshNumber("mesh.seq", "the sender's sequence number") { $0.sequence.map { Int128($0) } },
      meshAddress("mesh.src", "the sender's address, four digits") { $0.source },
      meshAddress("mesh.dst", "the receiver's address, four digits") { $0.destination },
      meshText("mesh.src_name", "the sender's name in the database") { $0.sourceName },
      meshText("mesh.dst_name", "the receiver's name in the database") { $0.destinationName },
      equatable(
        "mesh.opcode", .uuid, "the opcode in hexadecimal, such as 8202",
        parse: { text in
          let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
          return Hexadecimal.bytes(digits.count % 2 == 0 ? String(digits) : "0" + digits)
            .map { Hexadecimal.string($0) }
        }
      ) { row, test in row.mesh?.message.opcode.map(test) ?? false },
      meshText("mesh.name", "the message's name, such as GenericOnOffSet") { $0.name },
      meshText("mesh.parameters", "its parameters in hexadecimal") { $0.parameters },
      meshNumber("mesh.transaction", "the exchange of request and answer") {
        $0.transaction.map { Int128($0) }
      },
      meshText("mesh.unopened", "why it was not opened") { $0.unopened },
      meshText("mesh.malformed", "why it is no PDU") { $0.malformed },
    ]

  private static func meshText(
    _ name: String, _ summary: String, _ value: @escaping @Sendable (MeshMessage) -> String?
  ) -> FilterField {
    text(name, summary) { row, test in row.mesh.flatMap { value($0.message) }.map(test) ?? false }
  }

  private static func meshNumber(
    _ name: String, _ summary: String, _ value: @escaping @Sendable (MeshMessage) -> Int128?
  ) -> FilterField {
    integer(name, summary) { row, test in
      row.mesh.flatMap { value($0.message) }.map(test) ?? false
    }
  }

  private static func meshAddress(
    _ name: String, _ summary: String,
    _ value: @escaping @Sendable (MeshMessage) -> MeshAddress?
  ) -> FilterField {
    ordered(
      name, .node, summary,
      parse: { text, _ in
        UInt16(text.hasPrefix("0x") ? String(text.dropFirst(2)) : text, radix: 16)
      },
      each: { row, test in
        row.mesh.flatMap { value($0.message) }.map { test($0.rawValue) } ?? false
      })
  }
}
