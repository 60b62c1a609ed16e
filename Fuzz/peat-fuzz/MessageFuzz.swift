import PeatProtocol
import PeatReports
import PeatSecurity
import WireBytes

/// Values of Peat: every role and kind, in clear and below keys.
enum MessageFuzz {
  private static let style = TextStyle(
    columns: 80, usesColor: false, clock: .relative, isVerbose: true, zone: { _ in 0 })

  /// The first byte says where the value was met, or what it is read as.
  static func kinds(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let choice = Int(input.byte())
    let isForced = choice & 0x80 != 0
    let roles = CharacteristicRole.allCases
    let kinds = MessageKind.allCases
    let context = MessageContext(
      role: roles[choice % roles.count],
      isReadAnswer: choice & 0x40 == 0 ? nil : choice & 0x20 != 0)
    read(input.all(), context, as: isForced ? kinds[choice % kinds.count] : nil, NoKeys())
  }

  /// What is below a seal: the input is encrypted with a key that the reader has, or wrapped for
  /// relaying, as often as its first byte says.
  static func sealed(_ bytes: [UInt8]) {
    guard let secret = SecretKey([UInt8](repeating: 7, count: 32)) else { return }
    let cipher = MeshCipher(meshID: "FUZZ", secret: secret)
    var keyring = Keyring()
    keyring.addMesh(id: "FUZZ", secret: secret)
    var input = FuzzInput(bytes)
    var wraps = input.byte()
    var payload = input.all()
    for level in 0..<4 {
      switch wraps & 3 {
      case 1:
        let nonce = [UInt8](repeating: UInt8(level), count: 12)
        payload = cipher.seal(payload, nonce: nonce)?.encoded() ?? payload
      case 2:
        let envelope = RelayEnvelope(
          origin: NodeID(rawValue: 7), messageID: RelayMessageID(low: 1, high: 2),
          payload: payload)
        var writer = ByteWriter(capacity: payload.count + 64)
        envelope.encode(into: &writer)
        payload = writer.bytes
      default: break
      }
      wraps >>= 2
    }
    read(payload, MessageContext(), as: nil, keyring)
  }

  /// Decodes, judges, and prints in every form.
  private static func read(
    _ bytes: [UInt8], _ context: MessageContext, as kind: MessageKind?, _ keys: some MessageOpener
  ) {
    var decoder = MessageDecoder(opener: keys)
    let message = decoder.decode(bytes, context: context, as: kind)
    let notes = Receivers.notes(message, bytes: bytes)
    var text = OutputText(capacity: 4096)
    text.append(decoded: message, notes: notes)
    MessageDump(message, bytes: bytes, opener: &decoder.opener).append(to: &text, style: style)
    precondition(!text.slice.contains(0x1B), "an escape sequence got through")
  }
}
