extension AttributeTable {
  /// Learns what an answer tells: what it found, and that nothing else is where it looked.
  ///
  /// Gives the handles that meant something else before; nil where nothing known was changed.
  @discardableResult
  public mutating func learn(_ answer: DiscoveryAnswer) -> ClosedRange<UInt16>? {
    let gone = answer.contradictions(in: self)
    for item in gone { forget(item) }
    for service in answer.services { learn(service) }
    for characteristic in answer.characteristics { learn(characteristic) }
    for handle in answer.others { learnOther(handle) }
    guard let first = gone.first?.handles else { return nil }
    return gone.dropFirst().reduce(first) {
      min($0.lowerBound, $1.handles.lowerBound)...max($0.upperBound, $1.handles.upperBound)
    }
  }
}
