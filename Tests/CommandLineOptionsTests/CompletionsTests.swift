import Foundation
import Testing

@testable import CommandLineOptions

@Suite struct CompletionsTests {
  @Test("a shell that is installed finds no fault in its script", arguments: Shell.allCases)
  func syntax(shell: Shell) throws {
    guard let program = Program(shell.rawValue) else { return }
    try Program.withFile("script", shell.script(for: SampleTool.tool)) { file in
      let result = try program.run(["-n", file.path])
      #expect(result.status == 0, "\(result.output)")
    }
  }

  @Test("every visible command and option is in every script", arguments: Shell.allCases)
  func complete(shell: Shell) {
    let script = shell.script(for: SampleTool.tool)
    for command in SampleTool.tool.visibleCommands {
      #expect(script.contains(command.name))
      for option in command.visibleOptions {
        let name = shell == .fish ? "-l \(option.long)" : "--\(option.long)"
        #expect(script.contains(name), "\(name)")
      }
    }
    #expect(!script.contains("secret"))
  }

  /// Words on the line, the last one unfinished, and what is offered for it.
  private static let cases: [([String], [String])] = [
    (["sta"], ["state"]),
    (["state", "--a"], ["--align", "--at"]),
    (["--fo"], ["--format"]),
    (["state", "--format", ""], ["csv", "text"]),
    (["-v", "state", "-f", "c"], ["csv"]),
    (["--node", "list", "state", "--at"], ["--at"]),
    (["shell", ""], ["bash", "fish", "zsh"]),
    (["list", ""], []),
    (["state", "cap"], ["capture one.pcap"]),
    (["capture.pcap", "sta"], []),
    (["--", "sta"], []),
    (["-o", "cap"], ["capture one.pcap"]),
  ]

  @Test("bash offers commands, options, choices and files where they belong")
  func bash() throws {
    guard let bash = Program("bash") else { return }
    try Program.withFile("capture one.pcap", "") { file in
      let folder = file.deletingLastPathComponent()
      for (words, expected) in CompletionsTests.cases {
        let line = (["sample-tool"] + words).map(ShellText.quoted).joined(separator: " ")
        let script =
          Shell.bash.script(for: SampleTool.tool) + """
            COMP_WORDS=(\(line)); COMP_CWORD=\(words.count)
            _sample_tool
            ((${#COMPREPLY[@]})) && printf '%s\\n' "${COMPREPLY[@]}"
            """
        let output = try bash.run(["-c", script], in: folder).output
        let offered = output.split(separator: "\n").map(String.init).sorted()
        #expect(offered == expected, "\(words)")
      }
    }
  }

  @Test("bash sees a value behind an equals sign")
  func bashEquals() throws {
    guard let bash = Program("bash") else { return }
    for words in ["--format =", "--format = c", "state --format = c"] {
      let script =
        Shell.bash.script(for: SampleTool.tool) + """
          COMP_WORDS=(sample-tool \(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
          _sample_tool
          printf '%s\\n' "${COMPREPLY[@]}"
          """
      #expect(try bash.run(["-c", script]).output.contains("csv\n"), "\(words)")
    }
  }

  @Test("fish offers commands, options, choices and files where they belong")
  func fish() throws {
    guard let fish = Program("fish") else { return }
    try Program.withFile("capture one.pcap", "") { file in
      let folder = file.deletingLastPathComponent()
      for (words, expected) in CompletionsTests.cases {
        let line = (["sample-tool"] + words).joined(separator: " ")
        let script = Shell.fish.script(for: SampleTool.tool) + "complete -C '\(line)'\n"
        let output = try fish.run(["--no-config", "-c", script], in: folder).output
        let offered = output.split(separator: "\n").map { line in
          String(line.prefix { $0 != "\t" }).replacing("\\ ", with: " ")
        }
        #expect(offered.sorted() == expected, "\(words)")
      }
    }
  }
}
