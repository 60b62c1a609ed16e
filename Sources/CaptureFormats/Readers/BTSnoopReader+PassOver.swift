public import WireBytes

extension CaptureReader {
  private static let recordHeader = 24

  /// Passes over records that hold nothing wanted, as far as the window reaches.
  ///
  /// Only records beyond any doubt are passed over; the first other one is left for `next()`.
  /// Gives the time of the last record passed over, if there was one. (btsnoop with H4 packets,
  /// which is what phones write; other containers pass over nothing.)
  public mutating func passOver(_ unwanted: borrowing UnwantedTraffic) -> Timestamp? {
    guard format == .btsnoop, link == .hciH4, headerLength == 0, clock.hasLatest,
      clock.scale == 1
    else { return nil }
    var passed = PassedRecords(lastTime: clock.latest &+ clock.origin)
    window.passOver(unwanted, &passed)
    if window.available < CaptureReader.nearEnd { passOverMapped(unwanted, &passed) }
    guard passed.records > 0 else { return nil }
    frames &+= passed.records
    let time = clock.microseconds(passed.lastTime)
    clock.note(time)
    return Timestamp(microseconds: time)
  }
}

extension CaptureReader {
  /// What is left in the window when a whole record may no longer fit.
  private static let nearEnd = 4096

  /// Goes on where the window ends, over the file mapped in parts.
  private mutating func passOverMapped(
    _ unwanted: borrowing UnwantedTraffic, _ passed: inout PassedRecords
  ) {
    guard let file = window.source?.mappableFile else { return }
    var place = window.offset
    while true {
      var records = passed
      let bytes = unsafe MappedView.withBytes(of: file.descriptor, from: file.start + place) {
        unsafe records.passOver($0, unwanted)
      }
      passed = records
      guard let bytes, bytes > 0 else { break }
      place += bytes
    }
    window.jump(to: place)
  }
}

extension ByteWindow {
  fileprivate mutating func passOver(
    _ unwanted: borrowing UnwantedTraffic, _ passed: inout PassedRecords
  ) {
    let start = position
    let end = end
    // The pointer does not leave the closure, and the range lies in the buffer.
    let bytes = unsafe buffer.withUnsafeBytes { whole in
      unsafe passed.passOver(UnsafeRawBufferPointer(rebasing: whole[start..<end]), unwanted)
    }
    guard bytes > 0 else { return }
    position = start + bytes
    keep = position
  }
}

/// Records passed over.
private struct PassedRecords {
  var records = 0
  /// The time of the last one, as the file has it.
  var lastTime: Int64

  /// Passes over records from the start of `bytes` on; gives how many bytes they take.
  mutating func passOver(
    _ bytes: UnsafeRawBufferPointer, _ unwanted: borrowing UnwantedTraffic
  ) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    var passed = self
    let end = bytes.count
    var at = 0
    let drops = unwanted.drops
    // The pointers do not leave the closures. Every load lies in a record whose end was checked;
    // table indices are built of 12 and 8 bits, and the tables are as large; a slot names masks
    // that were appended for it.
    unsafe unwanted.withTables { masks, slots, pending in
      while end &- at >= 40 {
        let record = unsafe base + at
        let lengths = unsafe record.loadUnaligned(as: UInt64.self)
        let original = UInt32(truncatingIfNeeded: lengths)
        guard original == UInt32(truncatingIfNeeded: lengths >> 32) else { return }
        let included = Int(original.byteSwapped)
        guard included >= 7, included <= end &- at &- 24 else { return }
        let time = unsafe Int64(
          bigEndian: record.loadUnaligned(fromByteOffset: 16, as: Int64.self))
        let difference = time &- passed.lastTime
        guard difference < RecordClock.step, difference > -RecordClock.step,
          unsafe record.loadUnaligned(fromByteOffset: 12, as: UInt32.self).byteSwapped == drops
        else { return }
        // Type, ACL handle and flags, ACL length, L2CAP length, low byte of the channel.
        let head = unsafe record.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        if head & 0xFF == 0x02 {
          let isFromPeer = unsafe record.load(fromByteOffset: 11, as: UInt8.self) & 1
          let handle = Int(head >> 8 & 0x0FFF)
          let acl = Int(head >> 24 & 0xFFFF)
          let l2cap = Int(head >> 40 & 0xFFFF)
          guard acl &+ 5 == included, l2cap &+ 4 == acl, head >> 56 == 4,
            head >> 20 & 3 != 1, included >= 12,
            unsafe pending[handle << 1 | Int(isFromPeer)] == 0
          else { return }
          // High byte of the channel, opcode, attribute handle.
          let att = unsafe record.loadUnaligned(fromByteOffset: 32, as: UInt32.self)
          let opcode = att >> 8 & 0xFF
          guard att & 0xFF == 0, opcode == 0x1B || opcode == 0x52, att >> 24 == 0 else {
            return
          }
          let server = handle << 1 | Int(opcode == 0x1B ? isFromPeer : isFromPeer ^ 1)
          let attribute = Int(att >> 16 & 0xFF)
          let mask = unsafe masks[Int(slots[server]) << 2 | attribute >> 6]
          guard mask >> UInt64(attribute & 63) & 1 == 1 else { return }
        } else if head & 0xFFFF != 0x1304 {
          return
        }
        passed.records &+= 1
        passed.lastTime = time
        at &+= 24 &+ included
      }
    }
    self = passed
    return at
  }
}

extension UnwantedTraffic {
  /// Lends out the tables for one pass.
  @inline(__always)
  fileprivate borrowing func withTables(
    _ body: (
      UnsafeBufferPointer<UInt64>, UnsafeBufferPointer<UInt16>, UnsafeBufferPointer<UInt8>
    ) -> Void
  ) {
    // The pointers do not leave the closures.
    unsafe masks.withUnsafeBufferPointer { masks in
      unsafe slots.withUnsafeBufferPointer { slots in
        unsafe pending.withUnsafeBufferPointer { pending in unsafe body(masks, slots, pending) }
      }
    }
  }
}
