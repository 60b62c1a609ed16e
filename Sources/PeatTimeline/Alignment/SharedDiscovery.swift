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
      let taught = taught(to: index, lessons, streams)
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
    let own = streams[index].ownFirstTime
    var others: [(lesson: DeviceLesson, place: Int, isBefore: Bool)] = []
    for (place, lesson) in lessons.enumerated() {
      guard place != index, let lesson else { continue }
      var isBefore = place < index
      if let own, let other = streams[place].ownFirstTime, own != other { isBefore = other < own }
      others.append((lesson, place, isBefore))
    }
    others.sort {
      switch (streams[$0.place].ownFirstTime, streams[$1.place].ownFirstTime) {
      case (let left?, let right?) where left != right: left < right
      default: $0.place < $1.place
      }
    }
    for other in others where other.isBefore { taught.add(other.lesson, isBefore: true) }
    for other in others.reversed() where !other.isBefore {
      taught.add(other.lesson, isBefore: false)
    }
    return taught
  }
}
