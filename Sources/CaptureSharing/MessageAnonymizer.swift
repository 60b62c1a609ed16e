package import PeatProtocol
import PeatReports
package import PeatSecurity

/// Writes messages anew with pseudonyms, as long as they were.
///
/// What a field is comes from the fields of the annotated dump, so that every kind that is decoded
/// is covered; what has no name, or cannot be decoded, is blanked.
package final class MessageAnonymizer {
  let pseudonyms: Pseudonyms
  private let positions: PositionTransform
  private var keyring: Keyring
  /// Meshes whose frames were opened: they are sealed anew under keys that follow from their names.
  private var meshes: [String: SecretKey] = [:]
  private var sessions: [[UInt32]: SecretKey] = [:]
  /// What opens the anonymised frames.
  package private(set) var derived = Keyring()
  /// Lines of a keys file with the keys of the anonymised frames.
  package private(set) var derivedKeys: [String] = []
  /// Messages that would have been read as something else, and were blanked.
  package private(set) var blankedCount = 0

  /// Takes the pseudonyms, what becomes of positions, and the user's keys.
  package init(_ pseudonyms: Pseudonyms, positions: PositionTransform, keyring: Keyring) {
    self.pseudonyms = pseudonyms
    self.positions = positions
    self.keyring = keyring
  }

  /// The value that stands for one of a characteristic.
  package func value(_ bytes: [UInt8], context: MessageContext, isWhole: Bool) -> [UInt8] {
    var decoder = MessageDecoder(opener: keyring)
    let message = decoder.decode(bytes, context: context)
    keyring = decoder.opener
    let result = rewritten(bytes, message, depth: 0)
    guard isWhole else { return result }
    var checker = MessageDecoder(opener: derived)
    if checker.decode(result, context: context).kind == message.kind { return result }
    blankedCount += 1
    return [UInt8](repeating: 0, count: bytes.count)
  }

  /// The beacon that stands for one that was advertised.
  func beacon(_ bytes: [UInt8], form: BeaconMessage.Form) -> [UInt8] {
    var decoder = MessageDecoder(opener: keyring)
    return rewritten(bytes, decoder.decodeBeacon(bytes, form: form), depth: 0)
  }

  // MARK: - Fields

  private func rewritten(_ bytes: [UInt8], _ message: Message, depth: Int) -> [UInt8] {
    switch message.body {
    case .encrypted(let frame) where bytes.count >= EncryptedFrame.overhead:
      return sealed(frame, depth: depth)
    case .peerEncrypted(let frame, let plaintext) where bytes.count >= PeerMessage.overhead:
      return sealed(frame, plaintext)
    default: break
    }
    var opener = keyring
    let dump = MessageDump(message, bytes: bytes, opener: &opener)
    var result = [UInt8](repeating: 0, count: bytes.count)
    let isBigEndian =
      switch message.kind {
      case .nodeInfo, .beacon, .encryptedBeacon: true
      default: false
      }
    var latitude: (range: Range<Int>, value: Float)?
    for field in dump.fields where !field.range.isEmpty {
      let part = Array(bytes[field.range])
      if field.value.hasPrefix("cut: needs") { continue }
      let name = FieldName(field.name, kind: message.kind)
      switch name {
      case .kept: result.replaceSubrange(field.range, with: part)
      case .blanked: break
      case .marked: result[field.range.lowerBound] = part[0]
      case .node where part.count == 4:
        result.replaceSubrange(
          field.range, with: pseudonyms.nodeBytes(part, isBigEndian: isBigEndian))
      case .text:
        let length = part.firstIndex(of: 0) ?? part.count
        result.replaceSubrange(
          field.range,
          with: pseudonyms.text(Array(part[..<length]))
            + [UInt8](repeating: 0, count: part.count - length))
      case .time where part.count == 8:
        let value = pseudonyms.milliseconds(number(part))
        result.replaceSubrange(field.range, with: littleEndian(value, 8))
      case .seconds where part.count == 4:
        let moved = pseudonyms.milliseconds(number(part.reversed()) * 1000) / 1000
        result.replaceSubrange(field.range, with: littleEndian(moved, 4).reversed())
      case .random:
        result.replaceSubrange(field.range, with: pseudonyms.bytes(part, field.name))
      case .key: result.replaceSubrange(field.range, with: pseudonyms.bytes(part, "key"))
      case .latitude where part.count == 4: latitude = (field.range, float(part))
      case .longitude where part.count == 4:
        guard let first = latitude else { break }
        let place = positions.place(latitude: first.value, longitude: float(part))
        result.replaceSubrange(first.range, with: floatBytes(place.latitude))
        result.replaceSubrange(field.range, with: floatBytes(place.longitude))
      case .height where part.count == 4:
        result.replaceSubrange(field.range, with: floatBytes(positions.height(float(part))))
      case .geohash where part.count == 3:
        result.replaceSubrange(field.range, with: geohash(part))
      case .payload:
        result.replaceSubrange(field.range, with: payload(part, of: message, depth: depth))
      case .sealedBeacon: return sealedBeacon(bytes)
      case .node, .time, .seconds, .latitude, .longitude, .height, .geohash: break
      }
    }
    return result
  }

  /// What a frame wraps: a message, or an app's own bytes, of which canned messages are known.
  private func payload(_ part: [UInt8], of message: Message, depth: Int) -> [UInt8] {
    guard depth < 8, !part.isEmpty else { return [UInt8](repeating: 0, count: part.count) }
    if message.kind == .relay {
      var decoder = MessageDecoder(opener: keyring)
      let inner = decoder.decode(part, context: MessageContext(isReadAnswer: false))
      return rewritten(part, inner, depth: depth + 1)
    }
    var decoder = MessageDecoder(opener: keyring)
    let canned = decoder.decode([0xAF] + part, as: .canned)
    guard canned.kind == .canned else { return [UInt8](repeating: 0, count: part.count) }
    return Array(rewritten([0xAF] + part, canned, depth: depth + 1).dropFirst())
  }

  // MARK: - Sealed frames

  private func sealed(_ frame: EncryptedFrame, depth: Int) -> [UInt8] {
    let nonce = pseudonyms.bytes(frame.nonce, "nonce")
    if depth < 8, case .opened(let plaintext, let name) = keyring.open(frame) {
      var decoder = MessageDecoder(opener: keyring)
      let inner = decoder.decode(plaintext, context: MessageContext(isReadAnswer: false))
      let text = rewritten(plaintext, inner, depth: depth + 1)
      if let cipher = cipher(named: name), var result = cipher.seal(text, nonce: nonce) {
        result.flags = frame.flags
        return result.encoded()
      }
    }
    // Nobody can read it, and equal frames stay equal.
    let hidden = EncryptedFrame(
      flags: frame.flags, nonce: nonce,
      ciphertext: pseudonyms.bytes(
        frame.nonce + frame.ciphertext, "sealed", count: frame.ciphertext.count),
      tag: pseudonyms.bytes(frame.nonce + frame.tag, "tag", count: frame.tag.count))
    return hidden.encoded()
  }

  /// The cipher of the mesh that stands for one, by the name that records show for its key.
  private func cipher(named name: String) -> MeshCipher? {
    guard name.hasPrefix("mesh:") else { return nil }
    let isOld = name.hasSuffix("/hive")
    let id = String(name.dropFirst(5).dropLast(isOld ? 5 : 0))
    let newID = String(decoding: pseudonyms.mesh(Array(id.utf8)), as: UTF8.self)
    guard let secret = secret(of: id) else { return nil }
    return MeshCipher(meshID: newID, secret: secret, labels: isOld ? .hive : .peat)
  }

  private func secret(of id: String) -> SecretKey? {
    if let known = meshes[id] { return known }
    let bytes = pseudonyms.bytes(Array(id.utf8), "secret", count: SecretKey.size)
    guard let secret = SecretKey(bytes) else { return nil }
    let newID = String(decoding: pseudonyms.mesh(Array(id.utf8)), as: UTF8.self)
    meshes[id] = secret
    derived.addMesh(id: newID, secret: secret)
    derivedKeys.append("mesh \(newID) secret \(MessageAnonymizer.hex(bytes))")
    return secret
  }

  private func sealed(_ frame: PeerMessage, _ plaintext: [UInt8]?) -> [UInt8] {
    var result = frame
    result.recipient = NodeID(rawValue: pseudonyms.node(frame.recipient.rawValue))
    result.sender = NodeID(rawValue: pseudonyms.node(frame.sender.rawValue))
    result.nonce = pseudonyms.bytes(frame.nonce, "nonce")
    if let plaintext, let key = sessionKey(frame) {
      // What it says is known to nobody but its app: a text is replaced, anything else blanked.
      let isText = plaintext.allSatisfy { (0x20...0x7E).contains($0) }
      let text =
        isText ? pseudonyms.text(plaintext) : [UInt8](repeating: 0, count: plaintext.count)
      if let sealed = ChaChaPoly.seal(text, key: key, nonce: result.nonce) {
        result.ciphertext = sealed.ciphertext
        result.tag = sealed.tag
        return result.encoded()
      }
    }
    result.ciphertext = pseudonyms.bytes(
      frame.nonce + frame.ciphertext, "sealed", count: frame.ciphertext.count)
    result.tag = pseudonyms.bytes(frame.nonce + frame.tag, "tag", count: frame.tag.count)
    return result.encoded()
  }

  private func sessionKey(_ frame: PeerMessage) -> SecretKey? {
    let pair = [frame.sender.rawValue, frame.recipient.rawValue].sorted()
    if let known = sessions[pair] { return known }
    let names = pair.flatMap { id in (0..<4).map { UInt8(truncatingIfNeeded: id >> (8 * $0)) } }
    let bytes = pseudonyms.bytes(names, "session", count: SecretKey.size)
    guard let key = SecretKey(bytes) else { return nil }
    sessions[pair] = key
    let new = pair.map { NodeID(rawValue: pseudonyms.node($0)) }
    derived.add(.session(new[0], new[1], key: key))
    derivedKeys.append("session \(new[0]) \(new[1]) key \(MessageAnonymizer.hex(bytes))")
    return key
  }

  /// An encrypted beacon that a key opens is sealed anew; of others only the clear end stays.
  private func sealedBeacon(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= EncryptedBeacon.size else {
      return [UInt8](repeating: 0, count: bytes.count)
    }
    let nonce = pseudonyms.bytes(Array(bytes[1..<5]), "nonce")
    let rest = [UInt8](repeating: 0, count: bytes.count - EncryptedBeacon.size)
    if case .opened(let node, let name) = keyring.open(beacon: bytes), name.hasPrefix("mesh:") {
      let isOld = name.hasSuffix("/hive")
      let id = String(name.dropFirst(5).dropLast(isOld ? 5 : 0))
      let newID = String(decoding: pseudonyms.mesh(Array(id.utf8)), as: UTF8.self)
      let beacon = EncryptedBeacon(
        mesh: EncryptedBeacon.meshBytes(meshID: newID),
        node: NodeID(rawValue: pseudonyms.node(node.rawValue)),
        capabilities: UInt16(bytes[17]) << 8 | UInt16(bytes[18]), hierarchyLevel: bytes[19],
        battery: bytes[20])
      if let secret = secret(of: id), let sealed = beacon?.sealed(key: secret, nonce: nonce) {
        return sealed + rest
      }
    }
    return [bytes[0]] + nonce + pseudonyms.bytes(Array(bytes[1..<17]), "beacon", count: 12)
      + Array(bytes[17..<EncryptedBeacon.size]) + rest
  }

  // MARK: - Numbers

  private func geohash(_ part: [UInt8]) -> [UInt8] {
    let value = number(part.reversed())
    if value == 0 { return part }
    var bounds: [(low: Double, high: Double)] = [(-180, 180), (-90, 90)]
    for bit in 0..<24 {
      let middle = (bounds[bit & 1].low + bounds[bit & 1].high) / 2
      if value >> UInt64(23 - bit) & 1 == 1 {
        bounds[bit & 1].low = middle
      } else {
        bounds[bit & 1].high = middle
      }
    }
    let centre = bounds.map { Float(($0.low + $0.high) / 2) }
    let place = positions.place(latitude: centre[1], longitude: centre[0])
    let target = [Double(place.longitude), Double(place.latitude)]
    bounds = [(-180, 180), (-90, 90)]
    var result: UInt64 = 0
    for bit in 0..<24 {
      let middle = (bounds[bit & 1].low + bounds[bit & 1].high) / 2
      if target[bit & 1] >= middle {
        result |= 1 << UInt64(23 - bit)
        bounds[bit & 1].low = middle
      } else {
        bounds[bit & 1].high = middle
      }
    }
    return littleEndian(result, 3).reversed()
  }

  private func number(_ bytes: [UInt8]) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func littleEndian(_ value: UInt64, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private func float(_ bytes: [UInt8]) -> Float {
    Float(bitPattern: UInt32(truncatingIfNeeded: number(bytes)))
  }

  private func floatBytes(_ value: Float) -> [UInt8] { littleEndian(UInt64(value.bitPattern), 4) }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
