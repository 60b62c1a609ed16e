package import BluetoothProtocols
package import SystemIO

/// A way to a controller: whole HCI packets out and in.
///
/// Nothing waits: what cannot be written at once is queued, so that one loop with poll(2) serves a
/// transport, standard input and signals without threads. `now` is in milliseconds of a clock that
/// does not run backwards.
package protocol HCITransport: ~Copyable {
  /// What to poll for input; for output too where `isWaiting`.
  var descriptor: Int32 { get }

  /// Whether packets wait to be written.
  var isWaiting: Bool { get }

  /// When `flush` should be called at the latest; nil where nothing waits.
  var deadline: UInt64? { get }

  /// Sends one packet, or queues it.
  mutating func send(_ packet: HCIPacket, now: UInt64) throws(TransportError)

  /// Writes what waits, as far as the controller takes it.
  mutating func flush(now: UInt64) throws(TransportError)

  /// The packets that came, none where there is nothing to read.
  mutating func receive() throws(TransportError) -> [HCIPacket]
}

/// Why a transport cannot be used, or no longer.
package enum TransportError: Error, Sendable, Equatable {
  /// The system refused a call.
  case system(Errno)
  /// The other end closed the transport.
  case closed(String)
  /// The controller takes nothing more.
  case stalled(String, OutboundQueue.Fault)
  /// What came is no HCI in H4 framing.
  case notH4(String, H4Fault)
}

extension TransportError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .system(let errno): "\(errno)"
    case .closed(let name): "\(name): the controller has gone"
    case .stalled(let name, .stalled(let seconds)):
      "\(name): the controller has read nothing for \(seconds) s"
    case .stalled(let name, _):
      "\(name): the controller does not read: more than \(OutboundQueue.limit) bytes wait for it"
    case .notH4(let name, let fault):
      "\(name): byte \(fault.offset) is \(fault.found), which begins no HCI packet"
    }
  }
}

/// H4 over a descriptor: TCP, a serial line, or the kernel's user channel, which has the same
/// framing and keeps packets apart by itself.
package struct H4Transport: HCITransport, ~Copyable {
  /// Time for a TCP connection to come about, in milliseconds.
  package static let connectionTimeout: Int32 = 10_000

  private let file: FileDescriptor
  private let name: String
  private var outbound = OutboundQueue()
  private var framer = H4Framer()
  private var buffer = [UInt8](repeating: 0, count: 8_192)

  /// Opens the transport with a name; `patience` is the time for a TCP connection to come about, in
  /// milliseconds.
  package init(
    _ transport: TransportName, patience: Int32 = H4Transport.connectionTimeout
  ) throws(TransportError) {
    do throws(Errno) {
      file = try H4Transport.open(transport, patience)
    } catch {
      throw .system(error)
    }
    name = file.path ?? "controller"
  }

  private static func open(
    _ transport: TransportName, _ patience: Int32
  ) throws(Errno) -> FileDescriptor {
    let file =
      switch transport {
      case .controller(let index): try FileDescriptor.open(controller: index)
      case .tcp(let host, let port):
        try FileDescriptor.connect(
          host: host, port: port, milliseconds: patience)
      case .serial(let path, let baud):
        try FileDescriptor.open(serial: path, baud: baud, usesFlowControl: true)
      }
    try file.setNonBlocking()
    return file
  }

  package var descriptor: Int32 { file.rawValue }

  package var isWaiting: Bool { !outbound.isEmpty }
  package var deadline: UInt64? { outbound.deadline }

  package mutating func send(_ packet: HCIPacket, now: UInt64) throws(TransportError) {
    do throws(OutboundQueue.Fault) {
      try outbound.append(packet.framed, now: now)
    } catch {
      throw .stalled(name, error)
    }
    try flush(now: now)
  }

  package mutating func flush(now: UInt64) throws(TransportError) {
    do throws(OutboundQueue.Fault) {
      try outbound.drain(now: now) { (bytes) throws(Errno) in try file.writeSome(bytes) }
    } catch {
      throw if case .system(let errno) = error { failure(errno) } else { .stalled(name, error) }
    }
  }

  private func failure(_ errno: Errno) -> TransportError {
    errno.isGone ? .closed(name) : .system(errno)
  }

  package mutating func receive() throws(TransportError) -> [HCIPacket] {
    let count: Int
    do throws(Errno) {
      count = try file.read(into: &buffer, range: 0..<buffer.count)
    } catch {
      if error.isWouldWait || error.isInterruption { return [] }
      throw failure(error)
    }
    if count == 0 { throw .closed(name) }
    do throws(H4Fault) {
      return try framer.feed(buffer[0..<count])
    } catch {
      throw .notH4(name, error)
    }
  }
}
