import CaptureFormats
import PeatTestSupport
import WireBytes

/// Containers and archives, to the records and no further.
enum CaptureFuzz {
  /// Reads to the end, twice where that is possible, then as a file that still grows.
  static func containers(_ bytes: [UInt8]) {
    guard var reader = try? CaptureReader(bytes: bytes, name: "fuzz") else { return }
    let first = read(&reader)
    if (try? reader.rewind()) == true {
      precondition(read(&reader) == first, "the second reading gives other records")
    }
    if var growing = try? CaptureReader(bytes: bytes, name: "fuzz") {
      growing.isGrowing = true
      _ = read(&growing)
    }
  }

  private static func read(_ reader: inout CaptureReader) -> Int {
    var count = 0
    do {
      while let record = try reader.next() {
        count += 1
        precondition(record.payload.byteCount <= 16 << 20, "a record longer than the window")
      }
    } catch {}
    return count
  }

  /// The first byte says what is put around the rest with right lengths and checksums.
  static func archives(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let kind = input.byte()
    let inner = input.all()
    switch kind % 4 {
    case 0: containers(inner)
    case 1:
      containers(StoredZip.file([("FS/data/misc/bluetooth/logs/btsnoop_hci.log", inner)]))
    case 2: containers(snooz(inner))
    default:
      containers(gzip(inner))
    }
  }

  /// A bug report with the log as Android prints it (docs/formats.md, btsnooz).
  private static func snooz(_ records: [UInt8]) -> [UInt8] {
    let packed = [2, 0, 0, 0, 0, 0, 0, 0, 0] + [0x78, 0x01] + stored(records) + adler(records)
    let text =
      "--- BEGIN:BTSNOOP_LOG_SUMMARY (9 bytes in) ---\n" + base64(packed)
      + "\n--- END:BTSNOOP_LOG_SUMMARY ---\n"
    return Array(text.utf8)
  }

  private static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: bytes.count + 64)
    writer.append([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + stored(bytes))
    writer.le32(crc(bytes))
    writer.le32(UInt32(truncatingIfNeeded: bytes.count))
    return writer.bytes
  }

  /// Blocks that are not compressed (RFC 1951 3.2.4).
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes[...]
    repeat {
      let part = rest.prefix(0xFFFF)
      rest = rest.dropFirst(part.count)
      let count = UInt16(part.count)
      result.append(rest.isEmpty ? 1 : 0)
      for value in [count, ~count] { result += [UInt8(value & 0xFF), UInt8(value >> 8)] }
      result += part
    } while !rest.isEmpty
    return result
  }

  private static func adler(_ bytes: [UInt8]) -> [UInt8] {
    var low: UInt32 = 1
    var high: UInt32 = 0
    for byte in bytes {
      low = (low + UInt32(byte)) % 65521
      high = (high + low) % 65521
    }
    return [high >> 8, high, low >> 8, low].map { UInt8(truncatingIfNeeded: $0) }
  }

  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    var value = ~UInt32(0)
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
    return ~value
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = Array(bytes[start..<min(start + 3, bytes.count)])
      let padded = group + [UInt8](repeating: 0, count: 3 - group.count)
      let value = UInt32(padded[0]) << 16 | UInt32(padded[1]) << 8 | UInt32(padded[2])
      for place in 0..<4 {
        text.append(
          place > group.count ? 0x3D : digits[Int(value >> (18 - 6 * UInt32(place))) & 63])
      }
      if start % 57 == 54 { text.append(0x0A) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
