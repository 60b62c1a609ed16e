import Glibc
import PeatInspectCommands

exit(PeatInspect.run(Array(CommandLine.arguments.dropFirst())))
