import PeatDissection

/// Reads captures so that what one's discovery taught of a device is used in the others, in both
/// orders of time.
package enum SharedDiscovery {
  /// One survey a capture, in their order.
  ///
  /// A capture that can be read only once comes last, with what the others told; one that told of
  /// values without a name, or may know a device by another address, is read again with it.
  ///
  /// - Parameter keepsValues: whether the captures are read for their rows behind this.
  static func surveys(
    of streams: [CaptureStream], keepsValues: Bool = true
  ) -> [CaptureSurvey?] {
    var surveys: [CaptureSurvey?] = streams.map { _ in nil }
    var lessons: [DeviceLesson?] = streams.map { _ in nil }
    let order =
      streams.indices.filter { streams[$0].canReopen }
      + streams.indices.filter { !streams[$0].canReopen }
    for index in order {
      if !streams[index].canReopen {
        streams[index].teach(taught(to: index, lessons, streams))
      }
      surveys[index] = streams[index].survey(keepsValues: keepsValues)
      lessons[index] = streams[index].surveyedLesson
    }
    // What others tell is put together only where it can matter: that takes all of them.
    let haveKeys = lessons.contains { $0?.hasKeys ?? false }
    for index in streams.indices
    where streams[index].canReopen && (haveKeys || streams[index].surveyedUnnamed > 0) {
      var taught = taught(to: index, lessons, streams)
      // Its own keys may tell who it is that the others know by a private address.
      if let own = lessons[index], own.hasKeys { taught.add(keysOf: own) }
      guard taught.isUseful(unnamed: streams[index].surveyedUnnamed) else { continue }
      surveys[index] = streams[index].surveyAgain(taught, keepsValues: keepsValues)
    }
    return surveys
  }

  /// Reads a capture once for the keys that its pairings exchange, so that a device has one identity
  /// from the first packet on.
  package static func learnOwnKeys(of stream: CaptureStream) {
    guard stream.canReopen else { return }
    _ = stream.survey()
    guard let lesson = stream.surveyedLesson else { return }
    var taught = TaughtDevices()
    taught.add(keysOf: lesson)
    if !taught.isEmpty { _ = stream.surveyAgain(taught) }
  }

  /// What the other captures tell, of each time the nearest one last.
  private static func taught(
    to index: Int, _ lessons: [DeviceLesson?], _ streams: [CaptureStream]
  ) -> TaughtDevices {
    var taught = TaughtDevices()
    let others = lessons.indices.filter { $0 != index && lessons[$0] != nil }
      .sorted { isBefore($0, $1, streams) }
      .map { (lesson: lessons[$0], isBefore: isBefore($0, index, streams)) }
    for case (let lesson?, true) in others { taught.add(lesson, isBefore: true) }
    for case (let lesson?, false) in others.reversed() { taught.add(lesson, isBefore: false) }
    return taught
  }

  /// Which of two captures was recorded before the other: by its first packet, then by its last,
  /// then as they are named.
  private static func isBefore(_ left: Int, _ right: Int, _ streams: [CaptureStream]) -> Bool {
    for (one, other) in [
      (streams[left].ownFirstTime, streams[right].ownFirstTime),
      (streams[left].ownLastTime, streams[right].ownLastTime),
    ] {
      if let one, let other, one != other { return one < other }
    }
    return left < right
  }
}
