import CaptureFormats
import Foundation
import PeatTestSupport
import Testing

@Suite struct SampleCaptureTests {
  @Test func `every sample capture gives the frames that its manifest counts`() throws {
    let manifest = try JSON(
      parsing: Data(contentsOf: TestData.captures.appendingPathComponent("manifest.json")))
    for entry in manifest.array ?? [] {
      let file = try #require(entry["file"].string)
      let path = TestData.captures.appendingPathComponent(file).path
      var reader = try CaptureReader(path: path)
      var frames = 0
      while let record = try reader.next() {
        frames = max(frames, record.frame)
      }
      let counted = try #require(entry["frames"].int)
      if entry["tshark_exit"].int == 0 {
        #expect(reader.frameCount == counted, "\(file)")
        #expect(reader.damages.isEmpty, "\(file): \(reader.damages)")
      } else {
        #expect(reader.frameCount >= counted, "\(file)")
        #expect(reader.damageCount == 1, "\(file): \(reader.damages)")
        print(file, frames, counted, reader.damages)
      }
    }
  }
}
