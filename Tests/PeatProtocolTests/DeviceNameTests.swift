import PeatProtocol
import Testing

/// The parsers of protocol.md 1.3, by the rules of its second table.
@Suite struct DeviceNameTests {
  private let node = NodeID(rawValue: 0x1234_5678)

  @Test("names of both forms are read and written")
  func forms() {
    #expect(DeviceName("PEAT_DEMO-12345678") == DeviceName(mesh: "DEMO", node: node))
    #expect(DeviceName("PEAT-12345678") == DeviceName(mesh: nil, node: node))
    #expect(DeviceName(mesh: "DEMO", node: node).description == "PEAT_DEMO-12345678")
    #expect(
      DeviceName(mesh: nil, node: NodeID(rawValue: 0xAB)).description == "PEAT-000000AB")
  }

  @Test("the strict parser takes 1 to 8 digits of either case and an empty mesh")
  func strict() {
    #expect(DeviceName("PEAT_-1") == DeviceName(mesh: "", node: NodeID(rawValue: 1)))
    #expect(DeviceName("PEAT-aBcD")?.node == NodeID(rawValue: 0xABCD))
    for text in [
      "PEAT", "PEAT-", "PEAT_DEMO", "PEAT_DEMO-", "PEAT_A-B-12345678", "PEAT-123456789",
      "peat-12345678", "Peat-12345678", "PEAT-SENSE", "",
    ] {
      #expect(DeviceName(text) == nil, "\(text)")
    }
  }

  @Test("the Kotlin parser wants a mesh and cuts longer numbers")
  func kotlin() {
    #expect(DeviceName(kotlin: "PEAT_-1") == nil)
    #expect(DeviceName(kotlin: "PEAT-112345678")?.node == node)
    #expect(DeviceName(kotlin: "PEAT_DEMO-12345678")?.mesh == "DEMO")
    #expect(DeviceName(kotlin: "PEAT-8000000000000000") == nil)
  }

  @Test("the peer table reads 8 digits behind the last dash of any name")
  func tracked() {
    #expect(DeviceName.trackedNode("PEAT_A-B-12345678") == node)
    #expect(DeviceName.trackedNode("anything-12345678") == node)
    for text in ["PEAT-1234567", "PEAT-123456789", "12345678", "x-1234567g", "-"] {
      #expect(DeviceName.trackedNode(text) == nil, "\(text)")
    }
  }

  @Test("a mesh matches itself and devices that announce none")
  func matching() {
    #expect(DeviceName.matches(own: "DEMO", announced: "DEMO"))
    #expect(DeviceName.matches(own: "DEMO", announced: nil))
    #expect(!DeviceName.matches(own: "DEMO", announced: "demo"))
    #expect(!DeviceName.matches(own: "DEMO", announced: ""))
  }
}

@Suite struct ServiceDataTests {
  private let node = NodeID(rawValue: 0x1234_5678)

  @Test("the three shapes of protocol.md 1.2 are told apart")
  func shapes() throws {
    #expect(
      try ServiceData(bytes: [0x12, 0x34, 0x56, 0x78, 0x44, 0x45, 0x4D, 0x4F])
        == ServiceData(node: node, mesh: .text("DEMO")))
    let hex = ServiceData(linux: node, mesh: "29C916FA")
    #expect(hex.encoded == [0x12, 0x34, 0x56, 0x78, 0x29, 0xC9, 0x16, 0xFA])
    #expect(hex.meshAsNumber == "29C916FA")
    #expect(try ServiceData(bytes: [0x12, 0x34, 0x56, 0x78]).mesh == .absent)
    #expect(throws: FormatFault.self) { try ServiceData(bytes: [1, 2, 3]) }
  }

  @Test("Android cuts a mesh to 8 bytes, Linux to 4")
  func cuts() {
    #expect(ServiceData(android: node, mesh: "ALPHA-TEAM").mesh == .text("ALPHA-TE"))
    #expect(ServiceData(linux: node, mesh: "ALPHA-TEAM").mesh == .text("ALPH"))
  }
}
