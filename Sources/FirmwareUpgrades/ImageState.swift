package import SMPProtocol

extension SMPImage {
  /// The entry for a person.
  package var words: String {
    var text = image == 0 ? "slot \(slot)" : "image \(image) slot \(slot)"
    text += ": \(version ?? "no version")"
    if let hash { text += " \(SMPWords.hash(hash))" }
    if isActive { text += ", active" }
    if isPending { text += ", pending" }
    if isConfirmed { text += ", confirmed" }
    if isPermanent { text += ", permanent" }
    return text
  }
}

extension UpgradeImage {
  /// What there was before the upgrade.
  mutating func learnBefore(_ images: [SMPImage]) {
    let own = images.filter { $0.image == image }
    guard !own.isEmpty else { return }
    hashesBefore = own.compactMap(\.hash)
    if let active = own.first(where: { $0.isActive }) {
      oldVersion = active.version
      oldHash = active.hash
    }
  }

  /// Takes in what the server tells of the images.
  mutating func learn(_ images: [SMPImage], isAfterReset: Bool) {
    let own = images.filter { $0.image == image }
    let isUploaded = upload?.isComplete ?? false
    if !isAfterReset, oldHash == nil, let active = own.first(where: { $0.isActive }),
      active.hash != newHash
    {
      oldVersion = active.version
      oldHash = active.hash
      if !isUploaded { hashesBefore = own.compactMap(\.hash) }
    }
    if newHash == nil, isUploaded || isAfterReset {
      newHash = candidate(own, isAfterReset: isAfterReset)?.hash
      isMissing = newHash == nil && isUploaded && !isAfterReset
    }
    guard let newHash else { return }
    let found = own.first { $0.hash == newHash }
    isMissing = found == nil && isUploaded
    if let found {
      state = found
      isStateAfterReset = isAfterReset
      newVersion = found.version ?? newVersion
    }
    if isAfterReset, let active = own.first(where: { $0.isActive }) {
      hasOldRun = active.hash != newHash
    }
  }

  /// The uploaded image in a list: by its hash, as one that was not there before, or by its version.
  private func candidate(_ own: [SMPImage], isAfterReset: Bool) -> SMPImage? {
    if let hash = upload?.hash, let found = own.first(where: { $0.hash == hash }) { return found }
    let waiting = own.filter { !$0.isActive || isAfterReset }
    if !hashesBefore.isEmpty,
      let found = waiting.first(where: { $0.hash.map { !hashesBefore.contains($0) } ?? false })
    {
      return found
    }
    guard let version = upload?.version else {
      return hashesBefore.isEmpty ? own.first { !$0.isActive } : nil
    }
    return waiting.first { $0.version.map { UpgradeImage.isSame($0, version) } ?? false }
  }

  /// Servers leave a build number of 0 out, or write it behind a point.
  private static func isSame(_ left: String, _ right: String) -> Bool {
    func plain(_ text: String) -> [Substring] {
      var parts = text.split { $0 == "." || $0 == "+" }
      while parts.count > 3, parts.last == "0" { parts.removeLast() }
      return parts
    }
    return plain(left) == plain(right)
  }
}

extension ImageUpload {
  /// Takes the server's answer to a part; gives what is odd about it.
  mutating func answer(
    _ chunk: SMPRequest.Chunk, _ offset: Int, _ place: SMPPlace
  ) -> (UpgradeCode, UpgradeStep.Kind, String)? {
    if let span = place.nanoseconds(since: since), span > 0 {
      nanoseconds = nanoseconds.addingReportingOverflow(span).partialValue
    }
    since = place
    last = place
    var odd: (UpgradeCode, UpgradeStep.Kind, String)?
    if offset < chunk.end {
      if rewoundTo != offset {
        rewinds += 1
        odd = (
          .rewind, .rewind, "the server wants \(offset) again, \(chunk.end) was expected"
        )
      }
      rewoundTo = offset
    } else if chunk.offset == 0, offset > chunk.end {
      resumes += 1
      odd = (.resumed, .resume, "the server has \(offset) bytes of an earlier upload")
    } else if chunk.offset == 0, acknowledged > offset {
      rewinds += 1
      odd = (
        .rewind, .rewind, "the upload starts again: the server had \(acknowledged) bytes"
      )
    } else if offset < acknowledged {
      // A late answer of a request that others overtook.
      return nil
    } else {
      taken += offset - acknowledged
      if offset > acknowledged { rewoundTo = nil }
    }
    if offset > acknowledged { repeats = 0 }
    acknowledged = offset
    isComplete = length.map { offset >= $0 } ?? false
    return odd
  }
}

extension SMPWords {
  /// How an upload went, in words.
  package static func uploaded(_ upload: ImageUpload) -> String {
    var text = "\(upload.acknowledged) bytes uploaded"
    if let speed = upload.speed {
      text += " in \(seconds(upload.nanoseconds)) s (\(SMPWords.speed(speed)))"
    }
    switch upload.isMatch {
    case true?: text += ", the hash matches"
    case false?: text += ", THE HASH DIFFERS"
    case nil: break
    }
    return text
  }

  /// A speed with its unit.
  package static func speed(_ speed: Double) -> String {
    guard speed.isFinite, speed < 1e12 else { return "? B/s" }
    if speed < 1000 { return "\(Int(speed.rounded())) B/s" }
    let tenths = Int((speed / 100).rounded())
    return "\(tenths / 10).\(tenths % 10) kB/s"
  }

  /// Seconds with one decimal, three where they are few.
  package static func seconds(_ nanoseconds: Int64) -> String {
    let milliseconds = max(0, nanoseconds) / 1_000_000
    let whole = milliseconds / 1000
    if whole >= 10 { return "\(whole).\(milliseconds % 1000 / 100)" }
    let digits = "\(milliseconds % 1000)"
    return "\(whole)." + String(repeating: "0", count: 3 - digits.utf8.count) + digits
  }
}
