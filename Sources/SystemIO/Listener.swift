import Glibc

/// A TCP port of this machine that takes connections without ever waiting.
package struct Listener: ~Copyable, Sendable {
  private let socket: FileDescriptor
  /// The port, also where the kernel chose it.
  package let port: UInt16

  /// Listens at a numeric address. The C functions are getaddrinfo(3), bind(2) and listen(2).
  ///
  /// - Parameter port: 0 lets the kernel choose.
  package init(address: String, port: UInt16) throws(Errno) {
    let opened = try Syscalls.listen(address: address, port: port)
    socket = FileDescriptor(opened.descriptor, path: address)
    self.port = opened.port
  }

  /// Can be read when somebody connects.
  package var descriptor: Int32 { socket.rawValue }

  /// The next connection, or nil where nobody waits or none can be taken now.
  package func accept() -> Connection? {
    let accepted = Glibc.accept(socket.rawValue, nil, nil)
    guard accepted >= 0 else { return nil }
    _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
    _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
    return Connection(accepted)
  }
}

/// One accepted connection; it is closed when its last owner goes.
package final class Connection: Sendable {
  /// What an attempt to send or receive came to.
  package enum Outcome: Sendable, Equatable {
    case moved(Int)
    case wouldWait
    case ended
  }

  private let socket: FileDescriptor

  fileprivate init(_ descriptor: Int32) { socket = FileDescriptor(descriptor) }

  /// Can be read when bytes, or the end, are there.
  package var descriptor: Int32 { socket.rawValue }

  /// Takes what came, as much as the buffer holds. The C function is recv(2).
  package func receive(into buffer: inout [UInt8]) -> Outcome {
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe recv(socket.rawValue, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT))
    }
    return Connection.outcome(count)
  }

  /// Sends what the kernel takes at once. The C function is send(2).
  package func send(_ bytes: ArraySlice<UInt8>) -> Outcome {
    // Nobody must end because a reader went: no SIGPIPE.
    let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
    let count = unsafe bytes.withUnsafeBytes { source in
      unsafe Glibc.send(socket.rawValue, source.baseAddress, source.count, flags)
    }
    return Connection.outcome(count)
  }

  /// Says that no more is sent. The C function is shutdown(2).
  package func finishSending() { _ = shutdown(socket.rawValue, Int32(SHUT_WR)) }

  private static func outcome(_ count: Int) -> Outcome {
    if count > 0 { return .moved(count) }
    if count < 0, errno == EAGAIN || errno == EINTR { return .wouldWait }
    return .ended
  }
}

extension Syscalls {
  static func listen(
    address: String, port: UInt16
  ) throws(Errno) -> (descriptor: Int32, port: UInt16) {
    let name = address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
    var list: UnsafeMutablePointer<addrinfo>?
    // The list is freed below; its entry is used only while it exists.
    guard unsafe getaddrinfo(address, String(port), &hints, &list) == 0,
      let found = unsafe list?.pointee
    else { throw Errno(code: EADDRNOTAVAIL, call: "getaddrinfo", path: name) }
    defer { unsafe freeaddrinfo(list) }
    let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = unsafe socket(
      found.ai_family, found.ai_socktype | flags, found.ai_protocol)
    guard descriptor >= 0 else { throw Errno(code: errno, call: "socket", path: name) }
    var on: Int32 = 1
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard unsafe bind(descriptor, found.ai_addr, found.ai_addrlen) == 0,
      Glibc.listen(descriptor, 128) == 0
    else {
      let code = errno
      close(descriptor)
      throw Errno(code: code, call: "bind", path: name)
    }
    return (descriptor, boundPort(descriptor) ?? port)
  }

  /// The port that bind(2) gave, which both address families keep in bytes 2 and 3.
  private static func boundPort(_ descriptor: Int32) -> UInt16? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return unsafe withUnsafeMutableBytes(of: &storage) { bytes -> UInt16? in
      let result = unsafe bytes.withMemoryRebound(to: sockaddr.self) {
        unsafe getsockname(descriptor, $0.baseAddress, &size)
      }
      guard result == 0 else { return nil }
      return unsafe UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }
  }
}
