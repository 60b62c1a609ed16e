import CommandLineOptions
import LiveCapture
import PeatReports
import PeatTimeline
import SystemIO
import WireBytes

/// The tool: reads the command line, runs a command, gives the exit status.
package enum PeatInspect {
  /// Runs the tool with the words after its name.
  package static func run(_ arguments: [String]) -> Int32 {
    StandardDescriptors.occupy()
    do {
      return try dispatch(arguments).rawValue
    } catch let error as UsageError {
      complain("\(error)")
      return ExitStatus.usage.rawValue
    } catch let error as DeviceError {
      complain("\(error)")
      return ExitStatus.missingDevice.rawValue
    } catch let error as Errno {
      // The reader of our output has gone: there is nobody to tell.
      if error.isBrokenPipe { Interrupts.endByBrokenPipe() }
      // A watched signal ended a wait before anything was there to be saved.
      if error.isInterruption { return ExitStatus.done.rawValue }
      complain("\(error)")
      return ExitStatus.unreadable.rawValue
    } catch {
      // The remaining errors name an input that cannot be read: a keys file.
      complain("\(error)")
      return ExitStatus.unreadable.rawValue
    }
  }

  private static func complain(_ text: String) {
    try? OutputSink.standardError().append(
      "peat-inspect: \(text)".replacingUnsafeCharacters() + "\n")
  }

  private static func dispatch(_ arguments: [String]) throws -> ExitStatus {
    let tool = ToolDefinition.tool
    let environment = Environment()
    if asksForFilterHelp(arguments) {
      try say(FilterHelp.text)
      return .done
    }
    switch try tool.parse(try ExecWords.fold(arguments), defaults: RawOptions()) {
    case .version: try say("\(tool.name) \(tool.version)\n")
    case .help(let command, let isFull):
      let columns = Terminal.columns(of: .standardOutput, environment: environment)
      try say(HelpPage(tool, width: columns).text(for: command, isFull: isFull))
    case .dump: try say(ToolDescription(tool).text())
    case .run(let command, let options, let arguments):
      return try run(command, options, arguments, environment)
    }
    return .done
  }

  /// Help on filters needs no file, so that it is looked for before anything else.
  private static func asksForFilterHelp(_ arguments: [String]) -> Bool {
    let words = arguments.prefix { $0 != "--" }
    return words.contains("--filter=help")
      || zip(words, words.dropFirst()).contains { $0 == "--filter" && $1 == "help" }
  }

  private static func run(
    _ command: Command<RawOptions>, _ options: RawOptions, _ arguments: [String],
    _ environment: Environment
  ) throws -> ExitStatus {
    switch command.name {
    case ToolDefinition.completions.name:
      try say(try completions(for: arguments.first ?? ""))
      return .done
    case ToolDefinition.manual.name:
      try say(ManPage(ToolDefinition.tool).text())
      return .done
    case ToolDefinition.state.name:
      var state = try StateCommand(
        InspectConfiguration(options, files: arguments, environment: environment))
      return try state.run()
    case ToolDefinition.decode.name:
      var decode = try DecodeCommand(
        DecodeConfiguration(options, inputs: arguments, environment: environment))
      return try decode.run()
    case ToolDefinition.merge.name:
      var merge = try MergeCommand(
        DecodeConfiguration(options, inputs: arguments, environment: environment))
      return try merge.run()
    case CheckDefinition.command.name:
      let configuration = try InspectConfiguration(
        options, files: arguments, environment: environment)
      var check = try CheckCommand(configuration)
      return try check.run()
    case ToolDefinition.diff.name:
      var diff = try DiffCommand(options, arguments: arguments, environment: environment)
      return try diff.execute()
    case ToolDefinition.convergence.name:
      var convergence = try ConvergenceCommand(
        InspectConfiguration(options, files: arguments, environment: environment))
      return try convergence.execute()
    case ToolDefinition.monitor.name:
      let configuration = try MonitorConfiguration(
        options, arguments: arguments, environment: environment)
      try Interrupts.watch()
      var monitor = try MonitorCommand(configuration, clock: SystemClock())
      return try monitor.run()
    case ToolDefinition.interfaces.name:
      return try InterfacesCommand(format: options.format ?? .text, devices: CaptureDevice.all())
        .run()
    case ToolDefinition.node.name:
      let configuration = try NodeConfiguration(options, environment: environment)
      try Interrupts.watch()
      guard let node = try NodeCommand.open(configuration, environment: environment) else {
        // A signal ended the wait for the controller: nothing is missing.
        return Interrupts.received == nil ? .missingDevice : .done
      }
      return try node.run()
    default:
      let configuration = try InspectConfiguration(
        options, files: arguments, environment: environment)
      var inspect = try InspectCommand(configuration)
      return try inspect.run()
    }
  }

  private static func completions(for name: String) throws(UsageError) -> String {
    guard let shell = Shell(rawValue: name) else {
      throw UsageError(
        "no completions for \(UsageError.quoted(name))", advice: "bash, zsh and fish are known")
    }
    return shell.script(for: ToolDefinition.tool)
  }

  private static func say(_ text: String) throws(Errno) {
    let sink = OutputSink.standardOutput()
    try sink.append(text)
    try sink.flush()
  }
}
