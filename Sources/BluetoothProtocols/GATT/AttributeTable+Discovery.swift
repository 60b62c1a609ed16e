public import WireBytes

extension AttributeTable {
  /// Learns from a Read By Group Type response: services with their ranges.
  ///
  /// Entries that lie wholly in the capture are used; a size that fits no entry teaches nothing.
  public mutating func learnServices(entrySize: Int, _ entries: inout ByteReader) {
    guard entrySize == 6 || entrySize == 20 else { return }
    while let service = AttributeTable.service(&entries, uuidSize: entrySize - 4) {
      learn(service)
      learnOther(service.start)
    }
  }

  private static func service(_ entries: inout ByteReader, uuidSize: Int) -> Service? {
    do throws(DecodeError) {
      let start = try entries.le16()
      let end = try entries.le16()
      return Service(start: start, end: end, uuid: try BluetoothUUID(&entries, size: uuidSize))
    } catch {
      return nil
    }
  }

  /// Learns from a Find By Type Value response to a search for one service.
  public mutating func learnService(_ uuid: BluetoothUUID, ranges: inout ByteReader) {
    while ranges.remaining >= 4 {
      do throws(DecodeError) {
        let start = try ranges.le16()
        learn(Service(start: start, end: try ranges.le16(), uuid: uuid))
        learnOther(start)
      } catch {
        return
      }
    }
  }

  /// Learns from a Read By Type response to a search for characteristic declarations (0x2803).
  public mutating func learnCharacteristics(entrySize: Int, _ entries: inout ByteReader) {
    guard entrySize == 7 || entrySize == 21 else { return }
    while entries.remaining >= entrySize {
      do throws(DecodeError) {
        let declaration = try entries.le16()
        try entries.skip(1)
        let handle = try entries.le16()
        let uuid = try BluetoothUUID(&entries, size: entrySize - 5)
        learnOther(declaration)
        learn(Characteristic(handle: handle, uuid: uuid))
      } catch {
        return
      }
    }
  }

  /// Learns from a Find Information response: the type of each attribute.
  ///
  /// Types of 0x2800 to 0x29FF are declarations and descriptors; anything else is a value.
  public mutating func learnTypes(uuidSize: Int, _ entries: inout ByteReader) {
    while entries.remaining >= uuidSize + 2 {
      do throws(DecodeError) {
        let handle = try entries.le16()
        let uuid = try BluetoothUUID(&entries, size: uuidSize)
        if let short = uuid.short, (0x2800...0x29FF).contains(short) {
          learnOther(handle)
        } else {
          learn(Characteristic(handle: handle, uuid: uuid))
        }
      } catch {
        return
      }
    }
  }
}
