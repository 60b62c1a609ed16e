/// Where a value was met, as far as that decides how it is read.
public struct MessageContext: Sendable, Hashable, BitwiseCopyable {
  /// What the characteristic carries.
  public var role: CharacteristicRole
  /// Whether the value answers a read; nil when not known.
  public var isReadAnswer: Bool?

  /// Makes a context; without arguments, of a value that someone typed in.
  public init(role: CharacteristicRole = .document, isReadAnswer: Bool? = nil) {
    self.role = role
    self.isReadAnswer = isReadAnswer
  }
}
