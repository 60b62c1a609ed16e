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
    var waiting: [(value: SurveyHandle, link: Link, frame: Int)] = []
    queue.forEachUnresolved { (value, key) in
      let handle = SurveyHandle(
        key: key, identity: identity(of: value.link, key.side), handle: value.handle)
      waiting.append((handle, value.link, value.frame))
    }
    surveyMissed = queue.hasNamedValues
    queue.removeAll()
    isSurvey = true
    for (handle, link, frame) in waiting {
      noteSurveyed(handle, frame: frame)
      countUnnamed(handle.handle, at: frame, of: link, handle.key.side)
    }
  }

  /// A survey met a value on a handle without a name.
  mutating func noteSurveyed(_ handle: SurveyHandle, frame: Int) {
    if let known = surveyUnresolved[handle] {
      surveyUnresolved[handle] = known.lowerBound...max(known.upperBound, frame)
    } else if surveyUnresolved.count < LinkDissector.surveyLimit {
      surveyUnresolved[handle] = frame...frame
    }
  }

  /// Whether a second reading would show what the first could not.
  var surveyNamesValues: Bool {
    surveyMissed
      || surveyUnresolved.count >= LinkDissector.surveyLimit
      || surveyUnresolved.contains { handle, frames in
        [frames.lowerBound, frames.upperBound].contains { frame in
          let verdict = resolve(
            handle.handle, at: frame, key: handle.key, identity: handle.identity, own: nil)
          if case .wanted = verdict { return true }
          return false
        }
      }
  }

  /// A dissector for the second reading, which knows what this one learnt.
  func secondReading() -> LinkDissector {
    var knowledge = knowledge
    knowledge.isComplete = true
    var second = LinkDissector(options: options, knowledge: knowledge)
    second.isSecondReading = true
    second.leftOut = leftOut
    second.addresses = addresses
    second.story = story.again
    return second
  }

  /// Gives up the values at the front that no discovery has named, until half the room is free.
  mutating func giveUpOldest() {
    if knowledge.settleByContent() { return }
    while queue.heldBytes > OutputQueue.byteLimit / 2, let entry = queue.first(),
      let key = entry.unresolved, lateVerdict(of: entry.value, key: key) == .unresolved
    {
      queue.dropFirst()
      countUnnamed(entry.value, key: key)
    }
  }

  /// Gives up the values of a handle of which so many were no document that nobody waits for its
  /// name any longer: a pipe has no second reading, and what waits holds up what is behind it.
  mutating func giveUp(_ handle: UInt16, _ key: ServerKey) {
    var waiting = queue
    queue = OutputQueue()
    defer { queue = waiting }
    waiting.removeUnresolved { value, owner in
      guard owner == key, value.handle == handle,
        lateVerdict(of: value, key: owner) == .unresolved
      else { return false }
      countUnnamed(value, key: owner)
      return true
    }
  }

  /// Gives up every value that no discovery has named; the rest becomes ready.
  ///
  /// With `keepsCandidates` those stay whose values speak for their handle: in a capture that is
  /// followed, more may come.
  mutating func giveUpUnresolved(keepsCandidates: Bool = false) {
    var waiting = queue
    queue = OutputQueue()
    defer { queue = waiting }
    waiting.removeUnresolved { value, key in
      guard lateVerdict(of: value, key: key) == .unresolved else { return false }
      if keepsCandidates,
        knowledge.isCandidate(value, key: key, identity: identity(of: value.link, key.side))
      {
        return false
      }
      countUnnamed(value, key: key)
      return true
    }
  }

  /// What was counted in a survey while it had no name may be something else, as it turned out.
  mutating func reviewUnnamed() {
    let knowledge = knowledge
    unnamed.remove { key, handle, identity, frame in
      knowledge.verdict(of: handle, at: frame, key: key, identity: identity) == .unwanted
    }
  }
}
