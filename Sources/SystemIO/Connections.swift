import Glibc

/// Descriptors that lead to something else than a file: TCP, serial lines.
extension FileDescriptor {
  /// Connects to a TCP port; reads and writes of the connection do not wait. The C functions are
  /// getaddrinfo(3), socket(2), connect(2) and poll(2).
  ///
  /// - Parameter milliseconds: time for all addresses of the host together; `Errno.isTimeout` where
  ///   it is up. A signal that `Interrupts` watches ends the wait with `Errno.isInterruption`.
  package static func connect(
    host: String, port: UInt16, milliseconds: Int32
  ) throws(Errno) -> FileDescriptor {
    FileDescriptor(
      try Syscalls.connect(host: host, port: port, milliseconds: milliseconds),
      path: "\(host):\(port)")
  }

  /// Opens a serial line for bytes as they are, at a speed in baud, with hardware flow control
  /// where `usesFlowControl`. The C functions are open(2) and tcsetattr(3).
  package static func open(
    serial path: String, baud: UInt32, usesFlowControl: Bool
  ) throws(Errno) -> FileDescriptor {
    // Without O_NONBLOCK, opening may wait for a modem's carrier.
    let flags = O_RDWR | O_NOCTTY | O_NONBLOCK
    let line = FileDescriptor(try Syscalls.open(path, flags: flags), path: path)
    try Syscalls.makeRaw(
      line.rawValue, baud: baud, usesFlowControl: usesFlowControl, path: path)
    return line
  }

  /// Whether serial lines have a speed (termios(3)).
  package static func isSerialSpeed(baud: UInt32) -> Bool { Syscalls.speed(baud) != nil }
}

extension Syscalls {
  static func connect(
    host: String, port: UInt16, milliseconds: Int32
  ) throws(Errno) -> Int32 {
    let name = "\(host):\(port)"
    let end = MonotonicClock.nanoseconds() &+ UInt64(max(milliseconds, 0)) &* 1_000_000
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    // The list is freed below; each entry is used only while it exists.
    guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0 else {
      throw Errno(code: EADDRNOTAVAIL, call: "getaddrinfo", path: name)
    }
    defer { unsafe freeaddrinfo(list) }
    var failure = Errno(code: EADDRNOTAVAIL, call: "connect", path: name)
    var entry = unsafe list
    let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    while let address = unsafe entry?.pointee {
      let descriptor = unsafe socket(
        address.ai_family, address.ai_socktype | flags, address.ai_protocol)
      if descriptor >= 0 {
        let result = unsafe Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen)
        let code = result == 0 ? 0 : errno
        do throws(Errno) {
          let code = code == EINPROGRESS ? try outcome(of: descriptor, until: end, name) : code
          if code == 0 {
            tune(descriptor)
            return descriptor
          }
          failure = Errno(code: code, call: "connect", path: name)
          close(descriptor)
        } catch {
          close(descriptor)
          throw error
        }
      }
      unsafe entry = address.ai_next
    }
    throw failure
  }

  /// What a connection that is being made comes to: 0, or an error number.
  private static func outcome(
    of descriptor: Int32, until end: UInt64, _ name: String
  ) throws(Errno) -> Int32 {
    let now = MonotonicClock.nanoseconds()
    let rest = Int32(clamping: (end > now ? end - now : 0) / 1_000_000)
    let isReady = try Readiness.wait(
      for: [descriptor], writing: descriptor, milliseconds: rest)[0]
    if Interrupts.received != nil { throw Errno(code: EINTR, call: "connect", path: name) }
    guard isReady else { throw Errno(code: ETIMEDOUT, call: "connect", path: name) }
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else {
      return errno
    }
    return code
  }

  /// Small packets go at once, and another end that vanished without a word is noticed in half a
  /// minute.
  private static func tune(_ descriptor: Int32) {
    let options: [(level: Int32, name: Int32, value: Int32)] = [
      (Int32(IPPROTO_TCP), TCP_NODELAY, 1), (SOL_SOCKET, SO_KEEPALIVE, 1),
      (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 15), (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 5),
      (Int32(IPPROTO_TCP), TCP_KEEPCNT, 3),
    ]
    for option in options {
      var value = option.value
      _ = unsafe setsockopt(
        descriptor, option.level, option.name, &value, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  static func setNonBlocking(_ descriptor: Int32, path: String?) throws(Errno) {
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 else {
      throw Errno(code: errno, call: "fcntl", path: path)
    }
  }

  static func makeRaw(
    _ descriptor: Int32, baud: UInt32, usesFlowControl: Bool, path: String
  ) throws(Errno) {
    guard let speed = speed(baud) else {
      throw Errno(code: EINVAL, call: "cfsetspeed", path: "\(path),\(baud)")
    }
    var line = termios()
    guard unsafe tcgetattr(descriptor, &line) == 0 else {
      throw Errno(code: errno, call: "tcgetattr", path: path)
    }
    unsafe cfmakeraw(&line)
    line.c_cflag |= tcflag_t(CLOCAL | CREAD)
    // CRTSCTS of termios(3): a macro that Swift does not import.
    let flowControl: tcflag_t = 0o20_000_000_000
    if usesFlowControl { line.c_cflag |= flowControl } else { line.c_cflag &= ~flowControl }
    _ = unsafe cfsetispeed(&line, speed)
    _ = unsafe cfsetospeed(&line, speed)
    guard unsafe tcsetattr(descriptor, TCSANOW, &line) == 0 else {
      throw Errno(code: errno, call: "tcsetattr", path: path)
    }
    _ = tcflush(descriptor, TCIOFLUSH)
  }

  fileprivate static func speed(_ baud: UInt32) -> speed_t? {
    let known: [UInt32: Int32] = [
      9_600: B9600, 19_200: B19200, 38_400: B38400, 57_600: B57600, 115_200: B115200,
      230_400: B230400, 460_800: B460800, 921_600: B921600, 1_000_000: B1000000,
      2_000_000: B2000000, 3_000_000: B3000000,
    ]
    return known[baud].map { speed_t($0) }
  }
}
