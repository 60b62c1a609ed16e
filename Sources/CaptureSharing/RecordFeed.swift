package import CaptureFormats

/// One capture of several that are read side by side, with its next record held ready.
package final class RecordFeed {
  private var reader: CaptureReader
  private var ahead: StoredRecord?
  private var isPrimed = false

  /// Reads a capture from its beginning.
  package init(_ reader: consuming CaptureReader) { self.reader = reader }

  /// The next record, without taking it; nil at the end, and where the capture cannot be read on,
  /// which was told when it was read before.
  package func peek() -> StoredRecord? {
    if !isPrimed {
      ahead = nil
      if let record = try? reader.next() { ahead = StoredRecord(record) }
      isPrimed = true
    }
    return ahead
  }

  /// Takes the next record.
  package func take() -> StoredRecord? {
    defer { isPrimed = false }
    return peek()
  }
}
