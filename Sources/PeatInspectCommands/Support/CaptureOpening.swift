import BluetoothProtocols
import CaptureFormats
import PeatDissection
import PeatProtocol
import PeatSecurity
import PeatTimeline

/// Opens the captures that the command line names, members of archives among them.
struct CaptureOpening {
  var configuration: InspectConfiguration
  var keyring: Keyring
  var remembered: [RememberedHandle]
  /// The capture that is followed, where it is no regular file.
  var pipe: FollowedPipe?
  /// Told the bytes of standard input, where that is a pipe.
  var onInput: ((ArraySlice<UInt8>) -> Void)?

  /// Opens every capture that can be opened; the others are reported.
  func streams(_ diagnostics: inout Diagnostics) -> [CaptureStream] {
    let options = dissection
    var streams: [CaptureStream] = []
    for file in configuration.files {
      var names = [file]
      while let name = names.first {
        names.removeFirst()
        do throws(CaptureError) {
          let stream = try open(name, options)
          if name == file, !stream.dissector.members.isEmpty {
            names += tell(
              file, stream.dissector.members, stream.dissector.otherMembers, diagnostics)
          }
          streams.append(stream)
        } catch {
          diagnostics.report(error)
        }
      }
    }
    // To be anonymised, each is written whole; what two have is found again in what was written.
    return configuration.raw.anonymize.isReading ? streams : withoutRepeats(streams, &diagnostics)
  }

  /// Leaves out what an earlier or later log of the same phone has as well, and says so.
  private func withoutRepeats(
    _ streams: [CaptureStream], _ diagnostics: inout Diagnostics
  ) -> [CaptureStream] {
    let overlaps = CaptureOverlap.find(streams.map { $0.reopen })
    var left: [CaptureStream?] = streams
    for overlap in overlaps {
      let stream = streams[overlap.capture]
      let other = streams[overlap.other].file
      let count = overlap.frames.count
      let packets = "\(count) packet\(count == 1 ? "" : "s")"
      if overlap.isWhole {
        left[overlap.capture] = nil
        // What is said of a capture that nothing is shown of: its damage, if it has any.
        note("\(stream.file): its \(packets) are in \(other) too and count once", diagnostics)
        for damage in CaptureOpening.damages(of: stream) { diagnostics.report(damage) }
      } else {
        stream.leaveOut(overlap.frames)
        note(
          "\(stream.file): frames \(overlap.frames.lowerBound) to \(overlap.frames.upperBound) are in "
            + "\(other) too and count once", diagnostics)
      }
    }
    return left.compactMap(\.self)
  }

  private func note(_ text: String, _ diagnostics: Diagnostics) {
    if !configuration.raw.isQuiet { diagnostics.say(text) }
  }

  private static func damages(of stream: CaptureStream) -> [CaptureError] {
    guard let reopen = stream.reopen, var reader = try? reopen() else { return [] }
    while let record = try? reader.next() { _ = record.frame }
    return reader.damages
  }

  private func open(
    _ name: String, _ options: DissectionOptions
  ) throws(CaptureError) -> CaptureStream {
    let isStrict = configuration.raw.isStrict
    if let pipe {
      var reader = try pipe.reader()
      reader.stopsAtDamage = isStrict
      return CaptureStream(file: name, reader: reader, options: options)
    }
    let substitute = configuration.substitutes[name]
    let reopen = { () throws(CaptureError) -> CaptureReader in
      var reader =
        if let substitute { try CaptureReader(path: substitute, shownAs: name) } else {
          try CaptureReader(path: name, onRead: name == "-" ? onInput : nil)
        }
      reader.stopsAtDamage = isStrict
      return reader
    }
    var reader = try reopen()
    reader.isGrowing = configuration.raw.follows && reader.canGrow
    let canReopen = (name != "-" || substitute != nil) && reader.isSeekable && !reader.isGrowing
    let shown = CaptureOpening.shownName(
      configuration.shownName(name), members: reader.members)
    if canReopen && (configuration.files.count > 1 || configuration.raw.allMembers) {
      reader.rest()
    }
    return CaptureStream(
      file: shown, reader: reader, options: options, reopen: canReopen ? reopen : nil)
  }

  /// Says what is read of an archive; gives the names of the other members where they are wanted.
  private func tell(
    _ file: String, _ members: [String], _ others: [String], _ diagnostics: Diagnostics
  ) -> [String] {
    let wantsAll = configuration.raw.allMembers
    if !configuration.raw.isQuiet {
      var text = "\(file): reading \(members.joined(separator: ", "))"
      if !others.isEmpty && !wantsAll {
        text += "; not \(others.joined(separator: ", ")): name one as FILE!MEMBER, or use "
        text += "--all-members"
      }
      diagnostics.say(text)
    }
    return wantsAll ? others.map { "\(file)!\($0)" } : []
  }

  /// `ARCHIVE!MEMBER` where one member of an archive is read (cli.md, `file`).
  private static func shownName(_ name: String, members: [String]) -> String {
    guard members.count == 1, let member = members.first, !name.hasSuffix("!" + member) else {
      return name
    }
    return "\(name)!\(member)"
  }

  /// The user's options, and what keys and cache add to them.
  private var dissection: DissectionOptions {
    var options = configuration.dissection
    options.remembered = remembered
    options.collectsMonitorNotes = configuration.raw.verbosity > 0
    // The reader is told of every handle, those of other characteristics too.
    options.countsHandles = options.countsHandles || configuration.raw.verbosity > 0
    let keyring = keyring
    if !keyring.identityResolvingKeys.isEmpty {
      options.resolveAddress = { address in
        keyring.identityAddress(of: address.value).map { DeviceAddress(value: $0) }
      }
    }
    options.opensFrame = { bytes in
      var decoder = MessageDecoder(opener: keyring)
      return decoder.decode(bytes).wasOpened
    }
    return options
  }
}

extension Message {
  /// Whether a key opened the message or what it wraps.
  fileprivate var wasOpened: Bool { decryptedWith != nil || (inner?.wasOpened ?? false) }
}
