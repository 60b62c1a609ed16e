import CommandLineOptions

/// The options that say what is read of a capture, and for how long.
extension SharedOptions {
  /// What every reading command can do; a capture that grows is for those that print rows.
  static let members: [Option<RawOptions>] = [
    Option(
      long: "bond-cache", value: "FILE", completion: .file, category: .reading,
      summary: "remember handles by peer address in this file",
      discussion: """
        For captures of peers that are known from earlier ones: what discovery said is read at the \
        start, and the file is updated at the end. It is made where there is none.
        """,
      apply: .text(\.bondCache)),
    Option(
      long: "all-members", category: .reading,
      summary: "read every capture of an archive, earlier sessions too",
      apply: .set(\.allMembers)),
    inputName,
  ]

  static let captures: [Option<RawOptions>] =
    members + [
      Option(
        long: "events", category: .selection,
        summary: "show what happened to connections as rows of their own",
        discussion: """
          connected, disconnected, encrypted, mtu, parameters, phy, service_changed, gap and \
          clock_step. Text shows by default when links went up and down while an emergency waited \
          for acknowledgements, and everything with -v.
          """,
        apply: .set(\.showsEvents)),
      Option(
        long: "follow", category: .reading,
        summary: "keep reading a file that grows, through rotation",
        discussion: "Ends with SIGINT or SIGTERM, once everything written so far is read.",
        apply: .set(\.follows)),
    ]
}
