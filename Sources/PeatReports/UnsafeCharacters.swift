import WireBytes

extension String {
  /// The text with every character replaced that could act on a terminal; see `OutputText.neutral`.
  package func replacingUnsafeCharacters() -> String { OutputText.neutral(self) }
}
