import CaptureSharing
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
    return status { try dispatch(arguments) }.rawValue
  }

  /// The status of a run, with what ended it told.
  private static func status(_ run: () throws -> ExitStatus) -> ExitStatus {
    do {
      return try run()
    } catch let error as UsageError {
      complain("\(error)")
      return .usage
    } catch let error as DeviceError {
      complain("\(error)")
      return .missingDevice
    } catch let error as Errno {
      // The reader of our output has gone: there is nobody to tell.
      if error.isBrokenPipe { Interrupts.endByBrokenPipe() }
      // A watched signal ended a wait before anything was there to be saved.
      if error.isInterruption { return .done }
      complain("\(error)")
      return .unreadable
    } catch {
      // The remaining errors name an input that cannot be read: a keys file.
      complain("\(error)")
      return .unreadable
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
      try say(FilterHelp.text, isForPeople: true)
      return .done
    }
    let words = try ExecWords.fold(arguments)
    let settings = try settings(words, environment)
    let defaults = settings?.defaults ?? RawOptions()
    switch try tool.parse(words, defaults: defaults, hasStandardInput: hasStandardInput) {
    case .version:
      let isVerbose = words.contains { $0 == "-v" || $0 == "--verbose" }
      try say(VersionText.text(settings: settings, isVerbose: isVerbose, environment))
    case .help(let command, let isFull):
      let columns = Terminal.columns(of: .standardOutput, environment: environment)
      try say(
        HelpPage(tool, width: columns).text(for: command, isFull: isFull), isForPeople: true)
    case .dump: try say(ToolDescription(tool).text())
    case .run(let command, var options, let arguments):
      options.words = words
      if !words.contains(command.name) { try refuseUnknownCommand(arguments.first) }
      return try run(command, options, arguments, words, environment)
    }
    return .done
  }

  /// The user's settings; nil where there are none, or where the command line passes them over.
  private static func settings(
    _ words: [String], _ environment: Environment
  ) throws -> SettingsFile? {
    if words.prefix(while: { $0 != "--" }).contains("--no-config") { return nil }
    return try SettingsFile.path(in: environment).flatMap { try SettingsFile(path: $0) }
  }

  /// Runs a command on captures as one mesh, or on each for itself.
  private static func run(
    _ command: Command<RawOptions>, _ options: RawOptions, _ arguments: [String],
    _ words: [String], _ environment: Environment
  ) throws -> ExitStatus {
    if options.fleet.isWorker {
      try EachWorker.run { file in
        status {
          let options = try NodeNames.resolved(options, files: [file], environment: environment)
          return try run(command, options, [file], environment)
        }
      }
      return .done
    }
    let takesFiles = command.arguments?.name == "FILE"
    let files = takesFiles ? try CaptureList.expand(arguments) : arguments
    var options = options
    if !options.fleet.isEach {
      options = try NodeNames.resolved(
        options, files: files, canRead: takesFiles, environment: environment)
    }
    if options.anonymize.isAsked {
      let captures = try AnonymizedCaptures(options, files: files, environment: environment)
      guard !captures.files.isEmpty else { return captures.status }
      let status = try run(command, captures.options, captures.files, environment)
      captures.tellNote()
      return max(captures.status, status)
    }
    guard options.fleet.isEach else { return try run(command, options, files, environment) }
    let configuration = try InspectConfiguration(options, files: files, environment: environment)
    return try EachCommand(configuration, command: command.name, words: words).run()
  }

  /// Whether a pipe or a file waits on standard input, and not a terminal or nothing.
  private static var hasStandardInput: Bool {
    guard let status = try? FileDescriptor.standardInput.status() else { return false }
    return status.kind == .pipe || status.kind == .regular
  }

  /// A first word that is no file and nearly a command was meant as one.
  private static func refuseUnknownCommand(_ word: String?) throws(UsageError) {
    guard let word, word != "-", (try? FileStatus(path: word)) == nil,
      word.allSatisfy({ $0.isASCII && ($0.isLetter || $0 == "-") }),
      let nearest = ToolDefinition.tool.nearestCommand(to: word)
    else { return }
    throw UsageError(
      "there is no command or file \(UsageError.quoted(word))",
      advice: "did you mean '\(nearest)'?")
  }

  private static func help(of name: String?, _ environment: Environment) throws -> String {
    let tool = ToolDefinition.tool
    let columns = Terminal.columns(of: .standardOutput, environment: environment)
    let page = HelpPage(tool, width: columns)
    guard let name else { return page.text(for: nil, isFull: true) }
    guard let command = tool.command(named: name) else {
      let nearest = tool.nearestCommand(to: name)
      throw UsageError(
        "there is no command \(UsageError.quoted(name))",
        advice: nearest.map { "did you mean '\($0)'?" } ?? "'\(tool.name) -h' lists them")
    }
    return page.text(for: command, isFull: true)
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
    case ToolDefinition.help.name:
      try say(try help(of: arguments.first, environment), isForPeople: true)
      return .done
    case ToolDefinition.versionCommand.name:
      try say("\(ToolDefinition.tool.name) \(ToolDefinition.version)\n")
      return .done
    case ToolDefinition.manual.name:
      guard let page = arguments.first else {
        try say(ManPage(ToolDefinition.tool).text())
        return .done
      }
      guard page == "findings" else {
        throw UsageError(
          "no manual page of \(UsageError.quoted(page))", advice: "there is: findings")
      }
      try say(FindingsManual.text())
      return .done
    case ToolDefinition.state.name:
      let state = try StateCommand(
        InspectConfiguration(options, files: arguments, environment: environment))
      return try state.run()
    case ToolDefinition.decode.name:
      var decode = try DecodeCommand(
        DecodeConfiguration(options, inputs: arguments, environment: environment))
      return try decode.run()
    case ToolDefinition.merge.name where options.fleet.mergesStates:
      var merge = try MergeStatesCommand(
        DecodeConfiguration(options, inputs: arguments, environment: environment),
        files: CaptureList.expand(arguments))
      return try merge.run()
    case ToolDefinition.merge.name:
      var merge = try MergeCommand(
        DecodeConfiguration(options, inputs: arguments, environment: environment))
      return try merge.run()
    case CheckDefinition.command.name:
      let configuration = try InspectConfiguration(
        options, files: arguments, environment: environment)
      let check = try CheckCommand(configuration)
      return try check.run()
    case ToolDefinition.diff.name:
      let diff = try DiffCommand(options, arguments: arguments, environment: environment)
      return try diff.run()
    case ToolDefinition.convergence.name:
      let convergence = try ConvergenceCommand(
        InspectConfiguration(options, files: arguments, environment: environment))
      return try convergence.run()
    case ToolDefinition.inspect.name where options.fileFormat == .sqlite:
      return try DatabaseCommand(
        InspectConfiguration(options, files: arguments, environment: environment)
      ).run()
    case ToolDefinition.align.name:
      return try AlignCommand(
        InspectConfiguration(options, files: arguments, environment: environment)
      ).run()
    case ToolDefinition.inspect.name where options.sharedFormat != nil:
      return try ShareCommand(
        InspectConfiguration(options, files: arguments, environment: environment),
        format: options.sharedFormat ?? .pcapng
      ).run()
    case ToolDefinition.inspect.name where options.fileFormat?.timeline != nil:
      return try TimelineFileCommand(
        InspectConfiguration(options, files: arguments, environment: environment),
        form: options.fileFormat?.timeline ?? .markdown
      ).run()
    case ToolDefinition.inspect.name where options.fileFormat == .html:
      return try ReportCommand(
        InspectConfiguration(options, files: arguments, environment: environment)
      ).run()
    case ToolDefinition.links.name:
      let links = try LinksCommand(
        InspectConfiguration(options, files: arguments, environment: environment))
      return try links.run()
    case ToolDefinition.stats.name:
      return try StatisticsCommand(
        InspectConfiguration(options, files: arguments, environment: environment)
      ).run()
    case ToolDefinition.upgrades.name:
      let upgrades = try UpgradesCommand(
        InspectConfiguration(options, files: arguments, environment: environment))
      return try upgrades.run()
    case ToolDefinition.emergencies.name:
      let emergencies = try EmergenciesCommand(
        InspectConfiguration(options, files: arguments, environment: environment))
      return try emergencies.run()
    case ToolDefinition.mesh.name:
      let mesh = try MeshCommand(
        InspectConfiguration(options, files: arguments, environment: environment))
      return try mesh.run()
    case ToolDefinition.monitor.name:
      let configuration = try MonitorConfiguration(
        options, arguments: arguments, environment: environment)
      try Interrupts.watch()
      try Interrupts.watchRequests()
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
      let inspect = try InspectCommand(configuration)
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

  /// `isForPeople`: whether the locale's characters matter more than the exact bytes.
  private static func say(_ text: String, isForPeople: Bool = false) throws(Errno) {
    let sink = OutputSink.standardOutput()
    sink.spellsInASCII = isForPeople && ASCIISpelling.isAsked(by: Environment())
    try sink.append(text)
    try sink.flush()
  }
}
