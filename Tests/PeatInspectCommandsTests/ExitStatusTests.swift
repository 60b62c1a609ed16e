import Foundation
import PeatTestSupport
import Testing

/// The statuses of cli.md, each by a run of the built tool.
struct ExitStatusTests {
  private let sample = TestData.captures.appendingPathComponent("a-two-nodes.h4.btsnoop").path

  @Test("a sound capture gives 0 and nothing on stderr")
  func done() throws {
    let run = try CommandRun([sample])
    #expect(run.status == 0)
    #expect(run.standardError == "")
  }

  @Test("a wrong option gives 2 and one line with the nearest spelling")
  func usage() throws {
    let run = try CommandRun(["--formt", "csv", sample])
    #expect(run.status == 2)
    #expect(run.standardError.contains("--format"))
    #expect(run.standardError.split(separator: "\n").count == 1)
    #expect(try CommandRun([]).status == 2)
  }

  @Test("a missing file gives 3 and names it")
  func missing() throws {
    let run = try CommandRun(["/no/such/capture.pcap"])
    #expect(run.status == 3)
    #expect(run.standardError.contains("/no/such/capture.pcap"))
  }

  @Test("an Ethernet capture is told what it is, with 3")
  func ethernet() throws {
    var header: [UInt8] = [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0]
    header += [UInt8](repeating: 0, count: 8) + [0, 0, 4, 0, 1, 0, 0, 0]
    let run = try CommandRun(["-"], input: .pipe(header))
    #expect(run.status == 3)
    #expect(run.standardError.contains("linktype 1 (Ethernet): not a Bluetooth capture"))
  }

  @Test("a capture that ends inside a record gives 4, its offset, and everything before")
  func cut() throws {
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: sample)))
    let run = try CommandRun(["-f", "ndjson", "-"], input: .pipe(Array(whole.dropLast(3))))
    #expect(run.status == 4)
    #expect(run.lines.count == 14)
    #expect(run.standardError.contains("offset"))
  }

  @Test("the highest status of several inputs counts, and the good ones are shown")
  func several() throws {
    let run = try CommandRun(["-f", "ndjson", sample, "/no/such/capture.pcap"])
    #expect(run.status == 3)
    #expect(run.lines.count == 14)
  }

  @Test("an output that cannot be written is said, and nothing is left behind")
  func output() throws {
    let run = try CommandRun(["-o", "/no/such/folder/out.csv", sample])
    #expect(run.status == 3)
    #expect(run.standardError.contains("/no/such/folder/out.csv"))
  }

  @Test func `a word that is no file and nearly a command is a wrong command line`() throws {
    let run = try CommandRun(["convergense"])
    #expect(run.status == 2)
    #expect(run.standardError.contains("did you mean 'convergence'?"))
    #expect(!(try CommandRun(["walk.pcap"])).standardError.contains("did you mean"))
    let folder = try ScratchFolder()
    let file = try folder.write([UInt8](try Data(contentsOf: URL(fileURLWithPath: sample))), "stat")
    #expect(try CommandRun([file]).status == 0)
  }

  @Test func `help and version are words too, and piped input needs no name`() throws {
    let sentence = try CommandRun(["version"])
    #expect(sentence.text == (try CommandRun(["--version"])).text)
    #expect(sentence.text == (try CommandRun(["-V"])).text)
    #expect(try CommandRun(["help", "check"]).text == (try CommandRun(["check", "--help"])).text)
    #expect(try CommandRun(["help"]).text == (try CommandRun(["--help"])).text)
    #expect(try CommandRun(["help", "chek"]).status == 2)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: sample)))
    for command in ["inspect", "state", "check"] {
      let piped = try CommandRun([command], input: .pipe(bytes))
      #expect(piped.status == 0)
      #expect(piped.text == (try CommandRun([command, "-"], input: .pipe(bytes))).text)
    }
  }

  @Test(arguments: ["2026-02-29T10:00:00Z", "2026-04-31T10:00:00Z", "1900-02-29T00:00:00Z"])
  func `a day that the calendar does not have is no time`(time: String) throws {
    #expect(try CommandRun(["state", "--at", time, "a.pcap"]).status == 2)
  }
}
