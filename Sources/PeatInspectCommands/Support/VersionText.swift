import CommandLineOptions
import PeatReports
import SystemIO

/// What `--version` says.
enum VersionText {
  /// Name and version; with `-v` the settings too, as somebody who helps asks for them.
  static func text(
    settings: SettingsFile?, isVerbose: Bool, _ environment: Environment
  ) -> String {
    let name = "\(ToolDefinition.tool.name) \(ToolDefinition.version)\n"
    guard isVerbose else { return name }
    guard let path = SettingsFile.path(in: environment) else {
      return name + "settings: none; neither XDG_CONFIG_HOME nor HOME is set\n"
    }
    let shown = path.replacingUnsafeCharacters()
    guard let settings else { return name + "settings: none, would be \(shown)\n" }
    return name + "settings: \(shown)\n"
      + settings.lines.map { "  \($0.replacingUnsafeCharacters())\n" }.joined()
  }
}
