/// A zip file of members that are stored as they are (APPNOTE.TXT 4.3).
package enum StoredZip {
  package static func file(_ members: [(name: String, bytes: [UInt8])]) -> [UInt8] {
    var file: [UInt8] = []
    var directory: [UInt8] = []
    for member in members {
      let size = Recording.little(UInt64(member.bytes.count), 4)
      let name = Array(member.name.utf8)
      var fields: [UInt8] = [10, 0, 0, 0, 0, 0, 0, 0, 0x21, 0]
      fields += Recording.little(UInt64(crc32(member.bytes)), 4) + size + size
      fields += Recording.little(UInt64(name.count), 2) + [0, 0]
      directory += [0x50, 0x4B, 1, 2, 10, 0] + fields + [UInt8](repeating: 0, count: 10)
      directory += Recording.little(UInt64(file.count), 4) + name
      file += [0x50, 0x4B, 3, 4] + fields + name + member.bytes
    }
    let count = Recording.little(UInt64(members.count), 2)
    let end = [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + count + count
    return file + directory + end + Recording.little(UInt64(directory.count), 4)
      + Recording.little(UInt64(file.count), 4) + [0, 0]
  }

  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
