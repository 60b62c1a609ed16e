/// Waiting for several descriptors at once. The C function is poll(2).
package enum Readiness {
  /// Waits until one of the descriptors can be read, a watched signal comes, or the time is up.
  ///
  /// Tells for each whether it is ready; all false where time or a signal ended the wait.
  /// - Parameters:
  ///   - writing: one of the descriptors that is ready also where it can be written to.
  ///   - milliseconds: nil waits without end.
  package static func wait(
    for descriptors: [Int32], writing: Int32? = nil, milliseconds: Int32?
  ) throws(Errno) -> [Bool] {
    if Interrupts.received != nil { return descriptors.map { _ in false } }
    let ready = try Syscalls.poll(
      descriptors + [Interrupts.wakeUpDescriptor], writing: writing,
      milliseconds: milliseconds ?? -1)
    return Array(ready.dropLast())
  }
}
