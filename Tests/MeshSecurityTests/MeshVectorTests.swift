import BluetoothMesh
import MeshSecurity
import PeatSecurity
import PeatTestSupport
import Testing
import WireBytes

/// Every line of the mesh vectors: sample data of the specification (Mesh Protocol 1.1, 8).
struct MeshVectorTests {
  private struct Line {
    let name: String
    let inputs: JSON
    let expected: JSON

    func bytes(_ key: String) throws -> [UInt8] {
      try #require(inputs[key].bytes, "\(name): \(key)")
    }
    func key(_ name: String = "net_key") throws -> MeshKey {
      try #require(MeshKey(try bytes(name)))
    }
    func number(_ key: String) throws -> UInt32 {
      try #require(inputs[key].string.flatMap { UInt32($0, radix: 16) }, "\(name): \(key)")
    }
    func address(_ key: String) throws -> MeshAddress {
      MeshAddress(UInt16(truncatingIfNeeded: try number(key)))
    }
  }

  private static func each(
    _ file: String, count: Int, _ check: (Line) throws -> Void
  ) throws {
    let lines = try TestData.lines("MeshVectors/\(file).jsonl")
    #expect(lines.count == count)
    for line in lines {
      let name = line["name"].string ?? "?"
      try check(Line(name: name, inputs: line["inputs"], expected: line["expected"]))
    }
  }

  private static func hex(_ bytes: [UInt8]) -> String { Hexadecimal.string(bytes) }

  /// A key whose bytes show only in what it makes: the block of zeros.
  private static func isSame(_ key: MeshKey, as text: String?) throws -> Bool {
    key == MeshKey(try #require(text.flatMap { hexBytes($0) }))
  }

  @Test func `keys are derived`() throws {
    try Self.each("keys", count: 17) { line in
      let expected = line.expected
      switch line.inputs["function"].string {
      case "s1": #expect(try Self.hex(MeshFunctions.s1(line.bytes("m"))) == expected["out"].string)
      case "k1":
        let out = try MeshFunctions.k1(
          line.bytes("n"), salt: line.bytes("salt"), line.bytes("p"))
        #expect(Self.hex(out) == expected["out"].string)
      case "k2":
        let found = try MeshFunctions.k2(line.key("n"), line.bytes("p"))
        #expect(Self.hex([found.nid]) == expected["nid"].string)
        #expect(try Self.isSame(found.encryption, as: expected["encryption_key"].string))
        #expect(try Self.isSame(found.privacy, as: expected["privacy_key"].string))
      case "k3":
        #expect(try Self.hex(MeshFunctions.k3(line.key("n"))) == expected["network_id"].string)
      case "k4": #expect(try Self.hex([MeshFunctions.k4(line.key("n"))]) == expected["aid"].string)
      case "identity_key":
        #expect(try Self.isSame(NetworkKey(line.key("n")).identity, as: expected["out"].string))
      case "beacon_key":
        #expect(try Self.isSame(NetworkKey(line.key("n")).beacon, as: expected["out"].string))
      case "private_beacon_key":
        #expect(
          try Self.isSame(NetworkKey(line.key("n")).privateBeacon, as: expected["out"].string))
      case "virtual_address":
        let label = try #require(try VirtualLabel(line.bytes("label")))
        #expect(label.address.description.lowercased() == expected["address"].string)
      case let other: Issue.record("\(line.name): \(other ?? "nothing")")
      }
    }
  }

  @Test func `CCM seals and opens`() throws {
    try Self.each("ccm", count: 4) { line in
      let sealed = try #require(line.expected["sealed"].bytes)
      let length = try #require(line.inputs["mic"].int)
      let key = try line.key("key")
      let made = try Libcrypto.seal(
        key, nonce: line.bytes("nonce"), added: line.bytes("aad"), plain: line.bytes("plain"),
        codeLength: length)
      #expect(made == sealed, "\(line.name)")
      let opened = Libcrypto.open(
        key, nonce: try line.bytes("nonce"), added: try line.bytes("aad"), sealed: sealed,
        codeLength: length)
      #expect(opened == (try line.bytes("plain")))
      var damaged = sealed
      damaged[3] ^= 1
      #expect(
        Libcrypto.open(
          key, nonce: try line.bytes("nonce"), added: try line.bytes("aad"), sealed: damaged,
          codeLength: length) == nil)
    }
  }

  @Test func `network PDUs are opened`() throws {
    try Self.each("network", count: 14) { line in
      let expected = line.expected
      let ivIndex = try line.number("iv_index")
      if let header = line.inputs["header"].bytes {
        let found = try NetworkCredentials.obfuscated(
          header, privacy: line.key("privacy_key"), random: line.bytes("privacy_random"),
          ivIndex: ivIndex)
        #expect(Self.hex(found) == expected["obfuscated"].string)
        return
      }
      let credentials = try NetworkCredentials(line.key(), purpose: line.bytes("k2_p"))
      let bytes = try line.bytes("pdu")
      var reader = ByteReader(bytes.rawBytes, layer: .mesh)
      let sealed = try SealedNetworkPDU(&reader)
      let pdu = try #require(try credentials.open(sealed, ivIndex: ivIndex), "\(line.name)")
      #expect(Int(sealed.nid) == expected["nid"].int && sealed.nid == credentials.nid)
      #expect(pdu.header.isControl == expected["ctl"].bool)
      #expect(Int(pdu.header.ttl) == expected["ttl"].int)
      #expect(Int(pdu.header.sequence) == expected["seq"].int)
      #expect(pdu.header.source.description.lowercased() == expected["src"].string)
      #expect(pdu.destination.description.lowercased() == expected["dst"].string)
      #expect(Self.hex(pdu.transport) == expected["transport_pdu"].string)
      #expect(
        Self.hex(MeshNonce.network(pdu.header, ivIndex: ivIndex)) == expected["nonce"].string)
    }
  }

  @Test func `network PDUs are accepted with the right key and IV index only`() throws {
    try Self.each("network_accept", count: 7) { line in
      let credentials = try NetworkCredentials(line.key())
      let bytes = try line.bytes("pdu")
      var reader = ByteReader(bytes.rawBytes, layer: .mesh)
      let sealed = try SealedNetworkPDU(&reader)
      let current = try line.number("iv_index")
      let ivIndex = sealed.ivIndex(current: current)
      let pdu = try ivIndex.flatMap { try credentials.open(sealed, ivIndex: $0) }
      #expect((pdu != nil) == line.expected["opens"].bool, "\(line.name)")
    }
  }

  @Test func `network PDUs are sealed`() throws {
    try Self.each("network_encode", count: 13) { line in
      let credentials = try NetworkCredentials(line.key(), purpose: line.bytes("k2_p"))
      let header = NetworkHeader(
        isControl: line.inputs["ctl"].bool == true,
        ttl: try #require(line.inputs["ttl"].uint8),
        sequence: try #require(line.inputs["seq"].uint32), source: try line.address("src"))
      let pdu = NetworkPDU(
        header: header, destination: try line.address("dst"),
        transport: try line.bytes("transport_pdu"))
      let made = try credentials.seal(pdu, ivIndex: line.number("iv_index"))
      #expect(Self.hex(made) == line.expected["pdu"].string, "\(line.name)")
    }
  }

  @Test func `beacons are authenticated, opened and made`() throws {
    try Self.each("beacon", count: 4) { line in
      let key = try NetworkKey(line.key())
      let expected = line.expected
      if let data = line.inputs["service_data"].bytes {
        var reader = ByteReader(data.rawBytes, layer: .mesh)
        let identity = try ProxyIdentity(&reader)
        guard case .node(let hash, let random) = identity else {
          Issue.record("\(line.name)")
          return
        }
        #expect(Self.hex(hash) == expected["hash"].string)
        #expect(Self.hex(random) == expected["random"].string)
        #expect(try key.matches(identity, node: line.address("address")))
        #expect(try !key.matches(identity, node: MeshAddress(1)))
        return
      }
      let bytes = try line.bytes("beacon")
      var reader = ByteReader(bytes.rawBytes, layer: .mesh)
      let state: BeaconState
      switch try MeshBeacon(&reader) {
      case .secure(let beacon):
        #expect(try key.authenticates(beacon) == expected["authentic"].bool)
        #expect(Self.hex(key.networkID) == expected["network_id"].string)
        state = beacon.state
        #expect(try Self.hex(key.encoded(state)) == expected["encoded"].string)
      case .private(let beacon):
        state = try #require(try key.open(beacon))
        #expect(
          try Self.hex(key.encoded(state, random: beacon.random)) == expected["encoded"].string)
        #expect(
          try Self.isSame(key.privateBeacon, as: expected["private_beacon_key"].string))
      case .unprovisioned:
        Issue.record("\(line.name)")
        return
      }
      #expect(Int(state.flags) == expected["flags"].int)
      #expect(
        Hexadecimal.upper(UInt64(state.ivIndex), width: 8).lowercased()
          == expected["iv_index"].string)
    }
  }

  @Test func `segments are put together`() throws {
    try Self.each("segmentation", count: 1) { line in
      var assembler = SegmentAssembler()
      var whole: [UInt8]?
      let sequences = try #require(line.inputs["seqs"].array).compactMap(\.uint32)
      for (text, sequence) in zip(try #require(line.inputs["lower_pdus"].array), sequences) {
        let bytes = try #require(text.bytes)
        var reader = ByteReader(bytes.rawBytes, layer: .mesh)
        guard case .segment(let segment) = try LowerTransportPDU(&reader, isControl: false) else {
          Issue.record("\(line.name)")
          return
        }
        let header = NetworkHeader(
          isControl: false, ttl: 4, sequence: sequence, source: MeshAddress(3))
        let pdu = NetworkPDU(
          header: header, destination: MeshAddress(0x1201), transport: bytes)
        let key = try #require(SegmentAssembler.Key(segment, of: pdu, ivIndex: 0x1234_5678))
        #expect(Int(key.sequence) == line.expected["seqauth_seq"].int)
        if case .whole(let upper) = assembler.take(segment, of: key) { whole = upper }
      }
      #expect(whole.map { Self.hex($0) } == line.expected["upper_pdu"].string)
    }
  }

  @Test func `access messages are opened`() throws {
    try Self.each("upper_transport", count: 2) { line in
      let isDeviceKey = line.inputs["key_kind"].string == "device"
      let context = UpperTransportContext(
        sequence: try #require(line.inputs["seq"].uint32), source: try line.address("src"),
        destination: try line.address("dst"), ivIndex: try line.number("iv_index"),
        hasLongCode: line.inputs["szmic"].bool == true)
      let label = try VirtualLabel(line.bytes("label"))
      let key = try line.key("key")
      #expect(Self.hex(context.nonce(isDeviceKey: isDeviceKey)) == line.expected["nonce"].string)
      let opened = context.open(
        try line.bytes("upper_pdu"), with: key, isDeviceKey: isDeviceKey, label: label)
      #expect(opened.map { Self.hex($0) } == line.expected["access"].string)
      if let aid = line.expected["aid"].string {
        #expect(try Self.hex([MeshFunctions.k4(key)]) == aid)
      }
    }
  }

  @Test func `provisioning is confirmed and opened`() throws {
    try Self.each("provisioning", count: 7) { line in
      let expected = line.expected
      if let privateKey = line.inputs["private"].bytes {
        let secret = ProvisioningSession.secret(privateKey, peer: try line.bytes("peer_public"))
        #expect(secret.map { Self.hex($0.copy()) } == expected["shared"].string)
        #expect(
          ProvisioningSession.publicKey(of: privateKey).map { Self.hex($0) }
            == expected["own_public"].string)
        // A point that is not on the curve.
        var off = try line.bytes("peer_public")
        off[40] ^= 1
        #expect(ProvisioningSession.secret(privateKey, peer: off) == nil)
        return
      }
      if let sessionKey = line.inputs["session_key"].bytes {
        let keys = ProvisioningSession.Keys(
          session: try #require(MeshKey(sessionKey)), nonce: try line.bytes("session_nonce"),
          device: try #require(MeshKey(sessionKey)))
        let sealed = try #require(expected["sealed"].bytes)
        let opened = try #require(keys.open(sealed))
        let plain = try line.bytes("plain")
        #expect(opened.key == MeshKey(Array(plain.prefix(16))))
        // efb2255e6422d330088e09bb015ed707 0567 00 01020304 0b0c
        #expect(opened.data.keyIndex == 0x0567 && opened.data.state.ivIndex == 0x0102_0304)
        #expect(opened.data.state.flags == 0 && opened.data.address == MeshAddress(0x0B0C))
        return
      }
      let session = ProvisioningSession(
        secret: SecretBytes(try line.bytes("shared")),
        algorithm: try #require(line.inputs["algorithm"].uint8), inputs: try line.bytes("inputs"))
      if let random = line.inputs["random"].bytes {
        let found = try session.confirmation(
          random: random, authentication: line.bytes("auth"))
        #expect(Self.hex(found) == expected["confirmation"].string, "\(line.name)")
      } else {
        let keys = try session.keys(
          provisioner: line.bytes("random_provisioner"), device: line.bytes("random_device"))
        #expect(try Self.isSame(keys.device, as: expected["device_key"].string))
        #expect(try Self.isSame(keys.session, as: expected["session_key"].string))
        #expect(Self.hex(keys.nonce) == expected["session_nonce"].string)
      }
    }
  }
}
