import SystemIO

/// The user who called sudo(8), by the variables that it sets.
enum SudoUser {
  static func current(_ environment: Environment) -> (user: UInt32, group: UInt32)? {
    guard let user = environment["SUDO_UID"].flatMap({ UInt32($0) }), user != 0,
      let group = environment["SUDO_GID"].flatMap({ UInt32($0) })
    else { return nil }
    return (user, group)
  }
}
