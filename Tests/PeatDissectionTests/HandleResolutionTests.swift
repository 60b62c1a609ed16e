import BluetoothProtocols
import CaptureFormats
import Foundation
import PeatDissection
import PeatTestSupport
import Testing

/// How handles without discovery get their names (cli.md, `att.resolved_by`).
struct HandleResolutionTests {
  static func values(
    _ recording: Recording, _ change: (inout DissectionOptions) -> Void = { _ in }
  ) throws -> [CapturedValue] {
    var options = DissectionOptions()
    change(&options)
    return try values(try CaptureReader(bytes: recording.bytes, name: "made"), options)
  }

  static func values(
    _ reader: consuming CaptureReader, _ options: DissectionOptions
  ) throws -> [CapturedValue] {
    var dissector = CaptureDissector(reader: reader, options: options)
    var found: [CapturedValue] = []
    while let value = try dissector.next() { found.append(value) }
    return found
  }

  private static let peer: UInt64 = 0xE123_757B_B949
  private static let other: UInt64 = 0xF000_0000_0001

  /// `count` documents of a node that counts up, as notifications.
  private static func talk(
    _ recording: inout Recording, _ connection: UInt16, _ handle: UInt16, count: Int,
    node: UInt32 = 0x1111_1111
  ) {
    for step in 1...count {
      recording.notify(
        connection, handle,
        Recording.document(
          version: UInt32(step), node: node, counter: [(node, UInt64(step))]))
    }
  }

  @Test("each capture of session f names its handles as its beginning allows")
  func sessionF() throws {
    let expected: [String: [HandleResolution]] = [
      "f-cached.h4.btsnoop": [.discovery, .otherConnection],
      "f-cached.reconnect-only.phdr.pcap": [.content],
      "f-cached.mid.h4.btsnoop": [.content],
      "f-cached.mid.monitor.btsnoop": [.content],
      "f-rotated.mid.big-endian.pklg": [.content],
      "f-rotated.phdr.pcapng": [.discovery, .content],
    ]
    for capture in try TruthCapture.all() where capture.session.hasPrefix("f-") {
      let values = try Self.values(
        try CaptureReader(path: capture.path), DissectionOptions())
      var ways: [HandleResolution] = []
      for value in values {
        if let way = value.resolution, !ways.contains(way) { ways.append(way) }
      }
      #expect(expected[capture.file].map { $0 == ways } ?? true, "\(capture.file): \(ways)")
    }
  }

  @Test("discovery on a later connection names the values of an earlier one")
  func laterConnection() throws {
    var recording = Recording()
    recording.connect(1, peer: Self.peer)
    Self.talk(&recording, 1, 16, count: 1)
    recording.disconnect(1)
    recording.connect(1, peer: Self.peer)
    recording.discover(1, handle: 16)
    let values = try Self.values(recording)
    #expect(values.map(\.resolution) == [.otherConnection])
  }

  @Test(
    "another device with the same database hash has the same table, with another hash it has not")
  func databaseHash() throws {
    let hash = [UInt8](repeating: 7, count: 16)
    for (second, expected) in [
      (hash, [HandleResolution.otherConnection]), ([9] + hash.dropFirst(), []),
    ] {
      var recording = Recording()
      recording.connect(1, peer: Self.peer)
      recording.readHash(1, hash)
      recording.discover(1, handle: 16)
      recording.disconnect(1)
      recording.connect(2, peer: Self.other)
      recording.readHash(2, second)
      Self.talk(&recording, 2, 16, count: 1)
      #expect(try Self.values(recording).map(\.resolution) == expected)
    }
  }

  @Test("a changed database hash makes what is remembered of a device void")
  func changedHash() throws {
    var recording = Recording()
    recording.connect(1, peer: Self.peer)
    recording.readHash(1, [UInt8](repeating: 7, count: 16))
    recording.discover(1, handle: 16)
    recording.disconnect(1)
    recording.connect(1, peer: Self.peer)
    recording.readHash(1, [UInt8](repeating: 8, count: 16))
    Self.talk(&recording, 1, 16, count: 1)
    #expect(try Self.values(recording).isEmpty)
  }

  @Test("a remembered handle names the values of that peer alone")
  func cache() throws {
    var recording = Recording()
    recording.connect(1, peer: Self.peer)
    recording.connect(2, peer: Self.other)
    Self.talk(&recording, 1, 16, count: 1)
    Self.talk(&recording, 2, 16, count: 1, node: 0x2222_2222)
    let values = try Self.values(recording) {
      $0.remembered = [
        RememberedHandle(address: DeviceAddress(value: Self.peer), handle: 16)
      ]
    }
    #expect(values.map(\.resolution) == [.cache])
    #expect(values.first?.link.peer == DeviceAddress(value: Self.peer))
  }

  @Test("a pairing in the capture tells whose a private address is, before it and after it")
  func pairing() throws {
    // Core Specification Vol 3 Part H, D.7: this key gives hash 0dfbaa for prand 708194.
    let key: [UInt8] = [
      0xEC, 0x02, 0x34, 0xA3, 0x57, 0xC8, 0xAD, 0x05, 0x34, 0x10, 0x10, 0xA6, 0x0A, 0x39, 0x7D,
      0x9B,
    ]
    let privateAddress: UInt64 = 0x7081_940D_FBAA
    var recording = Recording()
    recording.connect(1, peer: privateAddress)
    Self.talk(&recording, 1, 16, count: 1)
    recording.disconnect(1)
    recording.connect(1, peer: Self.peer)
    recording.discover(1, handle: 16)
    recording.l2cap(1, channel: 6, [0x08] + key.reversed(), isReceived: true)
    recording.l2cap(
      1, channel: 6, [0x09, 1] + Recording.little(Self.peer, 6), isReceived: true)
    recording.disconnect(1)
    recording.connect(1, peer: privateAddress)
    Self.talk(&recording, 1, 16, count: 1)
    let values = try Self.values(recording)
    #expect(values.map(\.resolution) == [.otherConnection, .otherConnection])
  }

  @Test("a key of the user's tells whose a private address is")
  func userKey() throws {
    var recording = Recording()
    recording.connect(1, peer: Self.peer)
    recording.discover(1, handle: 16)
    recording.disconnect(1)
    recording.connect(1, peer: 0x4000_0000_0001)
    Self.talk(&recording, 1, 16, count: 1)
    let known = DeviceAddress(value: Self.peer)
    let values = try Self.values(recording) {
      $0.resolveAddress = { $0.value == 0x4000_0000_0001 ? known : nil }
    }
    #expect(values.map(\.resolution) == [.otherConnection])
  }
}
