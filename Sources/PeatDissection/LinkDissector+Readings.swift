import BluetoothProtocols

extension LinkDissector {
  /// Whether something may be ready without the queue having grown: an outcome, or a name.
  var needsAttention: Bool { !queue.isEmpty }

  /// Whether what waits longest waits for the name of its handle.
  mutating func isHeldUpByName() -> Bool {
    guard let entry = queue.first(), let key = entry.unresolved else { return false }
    return lateVerdict(of: entry.value, key: key) == .unresolved
  }

  /// Stops collecting: from here on only what a second reading needs is learnt.
  mutating func startSurvey() {
    var unresolved = surveyUnresolved
    queue.forEachUnresolved { (value, key) in
      if unresolved.count < LinkDissector.surveyLimit {
        unresolved.insert(
          SurveyHandle(
            key: key, identity: identity(of: value.link, key.side), handle: value.handle))
      }
    }
    surveyUnresolved = unresolved
    surveyMissed = queue.hasNamedValues
    queue.removeAll()
    isSurvey = true
  }

  /// Whether a second reading would show what the first could not.
  var surveyNamesValues: Bool {
    surveyMissed
      || surveyUnresolved.count >= LinkDissector.surveyLimit
      || surveyUnresolved.contains {
        if case .wanted = knowledge.verdict(of: $0.handle, key: $0.key, identity: $0.identity) {
          true
        } else {
          false
        }
      }
  }

  /// A dissector for the second reading, which knows what this one learnt.
  func secondReading() -> LinkDissector {
    var second = LinkDissector(options: options, knowledge: knowledge)
    second.isSecondReading = true
    second.addresses = addresses
    second.story = story.again
    return second
  }

  /// Gives up the values at the front that no discovery has named, until half the room is free.
  mutating func giveUpOldest() -> Int {
    if knowledge.settleByContent() { return 0 }
    var count = 0
    while queue.heldBytes > OutputQueue.byteLimit / 2, let entry = queue.first(),
      let key = entry.unresolved, lateVerdict(of: entry.value, key: key) == .unresolved
    {
      queue.dropFirst()
      collector.met(entry.value)
      count += 1
    }
    return count
  }

  /// Gives up every value that no discovery has named; the rest becomes ready.
  ///
  /// With `keepsCandidates` those stay whose values speak for their handle: in a capture that is
  /// followed, more may come.
  mutating func giveUpUnresolved(keepsCandidates: Bool = false) -> Int {
    var waiting = queue
    queue = OutputQueue()
    defer { queue = waiting }
    var hopeless: [CapturedValue] = []
    let count = waiting.removeUnresolved {
      guard lateVerdict(of: $0, key: $1) == .unresolved else { return false }
      if keepsCandidates,
        knowledge.isCandidate($0, key: $1, identity: identity(of: $0.link, $1.side))
      {
        return false
      }
      if hopeless.count < 4096 { hopeless.append($0) }
      return true
    }
    for value in hopeless { collector.met(value) }
    return count
  }
}
