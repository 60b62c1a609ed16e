import PeatInspectCommands

