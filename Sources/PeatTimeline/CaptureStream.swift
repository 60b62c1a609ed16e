package import CaptureFormats
package import PeatDissection
package import WireBytes

/// One capture of a timeline, with its next value held ready so that captures can be merged.
package final class CaptureStream {
  /// Opens the capture once more, from its beginning.
  package typealias Reopen = () throws(CaptureError) -> CaptureReader

  /// The capture as the user named it.
  package let file: String
  package private(set) var dissector: CaptureDissector
  /// How its clock is turned into that of the first capture; nil keeps it.
  package var clock: ClockCorrection?
  /// Where else a value was seen, by the value's place in the capture.
  var twins: [Int: Sighting] = [:]
  /// Values that are another capture's rows, by their places.
  var passedOver: Set<Int> = []

  /// Names messages, where somebody asks for their names.
  package var identifier: MessageIdentifier?
  private let options: DissectionOptions
  /// Opens the capture once more; nil where it can be read only once.
  package let reopen: Reopen?
  private var ahead: CapturedValue?
  private var isPrimed = false
  private var ordinal = 0
  private var held: HeldValues?
  private var repeated: ClosedRange<Int>?
  private var taught = TaughtDevices()
  /// What a survey to the end told of devices, and how many values it could not name.
  private(set) var surveyedLesson: DeviceLesson?
  private(set) var surveyedUnnamed = 0
  private var surveyedTimes: (first: Timestamp?, last: Timestamp?)?
  /// Why the capture could not be read on, until somebody takes it.
  private var failure: CaptureError?
  /// Whether it held more messages than are looked for in other captures.
  package private(set) var isSurveyCut = false
  /// Connections with an equal message that are compared for the sake of it.
  package static let sharingLimit = 64
  /// Whether more of its connections share an equal message than are compared.
  package internal(set) var isSharingCut = false
  /// Whether it could not be read to its end.
  package private(set) var hasFailed = false
  private var hasEnded = false
  /// Values that it gave so far, those that are another capture's rows among them.
  package private(set) var valueCount = 0

  /// Makes a stream; without `reopen` the capture can be read only once.
  package init(
    file: String, reader: consuming CaptureReader, options: DissectionOptions,
    reopen: Reopen? = nil
  ) {
    self.file = file
    self.options = options
    self.reopen = reopen
    dissector = CaptureDissector(reader: reader, options: options)
  }

  /// The next value, without taking it.
  ///
  /// A capture that cannot be read on has ended for the timeline, so that the others go on without
  /// it; `takeFailure()` tells why.
  package func peek() -> CapturedValue? {
    if !isPrimed {
      ahead = nextValue()
      ordinal += 1
      if ahead != nil { finishAhead() }
      isPrimed = true
    }
    return ahead
  }

  /// Whether the next value is another capture's row already.
  var isRepeatAhead: Bool { peek() != nil && passedOver.contains(ordinal - 1) }

  /// The next value's time by the recorder's own clock; to be asked for behind `peek()`.
  private(set) var recordedTimeAhead: Timestamp?

  /// Takes the next value.
  package func take() -> CapturedValue? {
    let value = peek()
    isPrimed = false
    return value
  }

  /// Takes why the capture could not be read on, nil where it could.
  package func takeFailure() -> CaptureError? {
    defer { failure = nil }
    return failure
  }

  private func nextValue() -> CapturedValue? {
    if hasFailed { return nil }
    do throws(CaptureError) {
      var value = try nextValueOrFailure()
      if identifier != nil, let found = value {
        value?.identity = identifier?.identity(of: found)
      }
      if value == nil { hasEnded = true } else { valueCount += 1 }
      return value
    } catch {
      fail(error)
      return nil
    }
  }

  private func nextValueOrFailure() throws(CaptureError) -> CapturedValue? {
    if let value = held?.takeFirst() { return value }
    if let error = held?.takeError() { throw error }
    return try dissector.next()
  }

  private func fail(_ error: CaptureError) {
    hasFailed = true
    failure = error
  }

  /// Puts the value ahead on the common clock, and says where else it was seen.
  private func finishAhead() {
    recordedTimeAhead = ahead?.time
    if let frame = ahead?.frame {
      let steps = dissector.clockSteps
      let shift = steps.shift(at: frame)
      if takesStepsOut {
        // All of the capture is put on the clock of one stretch, as if nothing had been put.
        let common = steps.shift(ofStretch: commonStretch)
        if let time = ahead?.time {
          ahead?.time = CaptureStream.moved(time, by: shift, against: common)
        }
      } else {
        ahead?.clockShift = shift
      }
    }
    if let clock, let time = ahead?.time { ahead?.time = clock.referenceTime(of: time) }
    if let clock, let seenIn = ahead?.seenIn {
      ahead?.seenIn = seenIn.map { sighting in
        var sighting = sighting
        sighting.time = sighting.time.map { clock.referenceTime(of: $0) }
        return sighting
      }
    }
    guard let twin = twins.removeValue(forKey: ordinal - 1), let value = ahead else { return }
    var sightings = value.seenIn
    if sightings.isEmpty {
      sightings = [
        Sighting(file: file, frame: value.frame, time: value.time, adapter: value.link.adapter)
      ]
    }
    sightings.append(twin)
    sightings.sort { CaptureStream.isBefore($0.time, $1.time) }
    ahead?.seenIn = sightings
  }

  private static func moved(
    _ time: Timestamp, by shift: Int64, against common: Int64
  ) -> Timestamp {
    var time = time
    let (move, overflow) = shift.subtractingReportingOverflow(common)
    if !overflow {
      time.nanoseconds = time.nanoseconds(since: Timestamp(nanoseconds: 0), without: move)
    }
    return time
  }

  private static func isBefore(_ left: Timestamp?, _ right: Timestamp?) -> Bool {
    guard let right else { return false }
    guard let left else { return true }
    return left < right
  }

  /// Whether there is something to take of a failure or of notices.
  package var hasNews: Bool { failure != nil || dissector.hasNotices }

  /// Takes what went wrong below the messages since the last call.
  package func takeNotices() -> some Sequence<Notice> {
    let clock = clock
    let repeated = dissector.repeated
    return dissector.takeNotices().lazy.filter { repeated?.contains($0.frame) != true }.map {
      notice in
      guard let clock, let time = notice.time else { return notice }
      var notice = notice
      notice.time = clock.referenceTime(of: time)
      return notice
    }
  }

  /// Leaves packets to another capture that has them too; to be said before anything is read.
  package func leaveOut(_ frames: ClosedRange<Int>) {
    repeated = frames
    dissector.repeated = frames
  }

  /// Told now and then how many bytes are read, and of how many where that is known.
  package var onProgress: ((Int, Int?) -> Void)? {
    get { dissector.onProgress }
    set { dissector.onProgress = newValue }
  }

  /// Takes what happened to connections since the last call, by the common clock.
  package func takeLinkEvents() -> [LinkEvent] {
    dissector.takeLinkEvents().map { event in
      var event = event
      event.time = corrected(event.time)
      return event
    }
  }

  /// Takes the notes of a monitor file since the last call.
  package func takeMonitorNotes() -> (notes: [MonitorNote], lost: Int) {
    dissector.takeMonitorNotes()
  }

  /// Follows a capture that grows: see `CaptureDissector`.
  package func follow(
    onCaughtUp: @escaping (_ readBytes: Int) -> CaptureDissector.CaughtUp,
    onRotation: @escaping () -> CaptureReader?
  ) {
    dissector.onCaughtUp = onCaughtUp
    dissector.onRotation = onRotation
  }

  /// The first packet's time by the common clock.
  package var firstTime: Timestamp? {
    corrected(dissector.firstTime ?? surveyedTimes?.first, shift: 0)
  }

  /// Which stretch between steps of its clock `clock` turns into the common one.
  package var commonStretch = 0
  /// Whether the times of all stretches are put on that clock, as where captures become one.
  var takesStepsOut = false

  /// The capture's clock, to tell how long something took.
  package var clockSpans: ClockSpans.Capture {
    ClockSpans.Capture(steps: dissector.clockSteps, common: commonStretch)
  }

  /// Nanoseconds from a moment by the common clock until the last packet, without what steps of
  /// the clock add.
  package func elapsed(since start: Timestamp) -> Int64? {
    let shift = takesStepsOut ? 0 : dissector.clockSteps.lastShift
    return lastTime.map {
      max(0, $0.nanoseconds(since: start, without: shift))
    }
  }

  /// The last packet's time by the common clock, of what was read or surveyed.
  package var lastTime: Timestamp? {
    corrected(
      surveyedTimes?.last ?? dissector.lastTime, shift: dissector.clockSteps.lastShift)
  }

  /// Whether the whole capture was read once, so that `lastTime` is its end.
  package var isSurveyed: Bool { surveyedTimes != nil }

  /// Whether the capture can be opened once more, as a pipe cannot.
  package var canReopen: Bool { reopen != nil }

  /// Whether the time of its last packet can be told before its rows are taken.
  package var knowsEnd: Bool { isSurveyed || canReopen || hasEnded || hasFailed }

  /// Ends the capture behind a moment of its own clock; to be said before anything is read.
  package func stop(after moment: Int64) { dissector.until = moment }

  /// The first packet's time by the common clock, looked up where nothing was read yet.
  package func findFirstTime() -> Timestamp? {
    if let firstTime { return firstTime }
    guard var reader = try? reopen?() else {
      _ = peek()
      return firstTime
    }
    while let record = try? reader.next() {
      if let time = record.time, !time.isHeldAtLimit { return corrected(time) }
    }
    return nil
  }

  /// The last packet's time by the common clock, by a reading of its own where it is not known.
  ///
  /// What cannot be read is told when the capture itself is read.
  package func findLastTime() -> Timestamp? {
    guard !isSurveyed, !hasEnded, var reader = try? reopen?() else { return lastTime }
    var last: Timestamp?
    while let record = try? reader.next() {
      if let time = record.time, !time.isHeldAtLimit, last.map({ $0 < time }) ?? true {
        last = time
      }
    }
    return corrected(last)
  }

  /// The first packet's time by the capture's own clock.
  var ownFirstTime: Timestamp? { dissector.firstTime ?? surveyedTimes?.first }

  /// The last packet's time by the capture's own clock, once it was read to its end.
  var ownLastTime: Timestamp? { surveyedTimes?.last ?? dissector.lastTime }

  /// A time of this capture by the common clock.
  package func corrected(_ time: Timestamp?) -> Timestamp? {
    corrected(time, shift: dissector.clockSteps.shift(ofStretch: commonStretch))
  }

  private func corrected(_ time: Timestamp?, shift: Int64) -> Timestamp? {
    guard var time else { return nil }
    if takesStepsOut {
      let common = dissector.clockSteps.shift(ofStretch: commonStretch)
      time = CaptureStream.moved(time, by: shift, against: common)
    }
    return clock?.referenceTime(of: time) ?? time
  }
}

extension CaptureStream {
  /// Takes in what other captures tell of devices, before anything is read.
  func teach(_ taught: TaughtDevices) { dissector.teach(taught) }

  /// Reads the capture anew with what other captures tell of its devices.
  func surveyAgain(_ taught: TaughtDevices, keepsValues: Bool = true) -> CaptureSurvey? {
    held = nil
    self.taught = taught
    renew()
    return hasFailed ? nil : survey(keepsValues: keepsValues)
  }

  /// Begins the capture anew, with what is known by now.
  private func renew() {
    guard let reopen else { return }
    do throws(CaptureError) {
      let (progress, until) = (dissector.onProgress, dissector.until)
      dissector = CaptureDissector(reader: try reopen(), options: options)
      dissector.onProgress = progress
      dissector.until = until
      dissector.repeated = repeated
      dissector.teach(taught)
    } catch {
      fail(error)
    }
  }

  /// Reads the capture to its end and gives what is needed to find its messages in others.
  ///
  /// What is read is held for the real reading; where that is too much, the capture is opened once
  /// more. Nil where it can be read only once and holds too much, or cannot be opened again.
  ///
  /// - Parameter keepsValues: false where nobody asks for the capture's values behind this.
  func survey(keepsValues: Bool = true) -> CaptureSurvey? {
    var survey = CaptureSurvey()
    var values = HeldValues()
    var isHolding = keepsValues
    do throws(CaptureError) {
      while let value = try dissector.next() {
        survey.add(value)
        guard isHolding else {
          _ = dissector.takeNotices()
          continue
        }
        values.add(value)
        if values.isFull {
          guard reopen != nil else {
            held = values
            return nil
          }
          isHolding = false
          values = HeldValues()
        }
      }
    } catch {
      // The real reading comes to the same end.
      values.error = error
    }
    surveyedTimes = (dissector.firstTime, dissector.lastTime)
    isSurveyCut = survey.isFull
    surveyedLesson = dissector.lesson
    surveyedUnnamed = dissector.unresolvedCount
    if !keepsValues {
      valueCount = survey.count
      hasEnded = true
      if let error = values.takeError() { fail(error) }
    } else if isHolding {
      held = values
    } else {
      renew()
      if hasFailed { return nil }
    }
    return survey
  }
}

/// Values that were read before they are wanted.
private struct HeldValues {
  /// Most bytes that are held of one capture.
  private static let limit = 32 << 20
  /// What a value takes besides its bytes.
  private static let overhead = 320

  var error: CaptureError?
  private var values: [CapturedValue] = []
  private var next = 0
  private var bytes = 0

  var isFull: Bool { bytes > HeldValues.limit }

  mutating func add(_ value: CapturedValue) {
    bytes += value.payload.count + HeldValues.overhead
    values.append(value)
  }

  mutating func takeFirst() -> CapturedValue? {
    guard next < values.count else {
      values = []
      next = 0
      return nil
    }
    next += 1
    return values[next - 1]
  }

  mutating func takeError() -> CaptureError? {
    defer { error = nil }
    return error
  }
}
