import CPcap

/// What this process may do, as far as capturing asks (capabilities(7)).
package struct Privileges: OptionSet, Sendable, Equatable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// CAP_DAC_OVERRIDE: root's way past the permissions of files.
  package static let anyFile = Privileges(rawValue: 1 << 1)
  /// CAP_NET_ADMIN: takes a controller over, and gives it back.
  package static let networkAdministration = Privileges(rawValue: 1 << 12)
  /// CAP_NET_RAW: without it, bluetoothN gives only some events and bluetooth-monitor nothing.
  package static let rawSockets = Privileges(rawValue: 1 << 13)

  /// What is in force now.
  package static var current: Privileges { Privileges(rawValue: peat_effective_capabilities()) }

  /// Gives up everything but `kept`; false where the kernel refuses.
  ///
  /// Where sudo(8) started the process, it becomes the user who called it besides, so that what it
  /// writes belongs to that user.
  package static func drop(
    except kept: Privileges, sudoUser: (user: UInt32, group: UInt32)?
  ) -> Bool {
    if let sudoUser, peat_is_root() != 0 {
      return peat_become(sudoUser.user, sudoUser.group, kept.rawValue) == 0
    }
    return peat_keep_capabilities(kept.rawValue) == 0
  }

  /// The command that gives this program what `bluetoothN` and `bluetooth-monitor` need.
  package static var setcapCommand: String {
    var path = "peat-inspect"
    if let resolved = unsafe peat_own_path() {
      path = unsafe String(cString: resolved)
      unsafe peat_free(resolved)
    }
    return "sudo setcap cap_net_raw+ep \(path)"
  }
}
