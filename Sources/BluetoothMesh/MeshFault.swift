import WireBytes

extension DecodeError {
  /// A value of a mesh PDU that the specification rules out.
  static func mesh(_ offset: Int, found: Int, needed: Int = 0) -> DecodeError {
    DecodeError(
      kind: .invalidValue, layer: .mesh, offset: offset, needed: needed, available: found)
  }

  /// A mesh PDU of another length than its type has.
  static func meshLength(_ offset: Int, needed: Int, found: Int) -> DecodeError {
    DecodeError(
      kind: .lengthMismatch, layer: .mesh, offset: offset, needed: needed, available: found)
  }
}
