/// Names of groups and commands, as Zephyr and the nRF libraries have them.
public enum SMPNames {
  /// The group's name; groups 5 to 7 are numbered differently by different libraries.
  public static func group(_ group: UInt16) -> String? {
    switch group {
    case 0: "os"
    case 1: "image"
    case 2: "statistics"
    case 3: "settings"
    case 4: "log"
    case 8: "file system"
    case 9: "shell"
    case 10: "enumeration"
    case 11: "transport"
    case 63: "basic"
    default: nil
    }
  }

  /// The command's name.
  public static func command(_ command: UInt8, of group: UInt16) -> String? {
    switch (group, command) {
    case (0, 0): "echo"
    case (0, 1): "console echo"
    case (0, 2): "task statistics"
    case (0, 3): "memory pools"
    case (0, 4): "date and time"
    case (0, 5): "reset"
    case (0, 6): "parameters"
    case (0, 7): "application info"
    case (0, 8): "bootloader info"
    case (1, 0): "image state"
    case (1, 1): "image upload"
    case (1, 2): "image file"
    case (1, 3): "core list"
    case (1, 4): "core load"
    case (1, 5): "image erase"
    case (1, 6): "slot info"
    case (2, 0): "group data"
    case (2, 1): "group list"
    case (3, 0): "setting"
    case (3, 1): "delete setting"
    case (3, 2): "commit settings"
    case (3, 3): "load or save settings"
    case (4, 0): "read log"
    case (4, 1): "clear log"
    case (4, 2): "append to log"
    case (4, 3): "log modules"
    case (4, 4): "log levels"
    case (4, 5): "logs"
    case (8, 0): "file transfer"
    case (8, 1): "file status"
    case (8, 2): "file hash"
    case (8, 3): "hash types"
    case (8, 4): "close file"
    case (9, 0): "shell command"
    case (10, 0): "group count"
    case (10, 1): "group list"
    case (10, 2): "group id"
    case (10, 3): "group details"
    case (63, 0): "erase storage"
    default: nil
    }
  }
}
