package import BluetoothProtocols
package import SystemIO

/// A way to a controller: whole HCI packets out and in.
///
/// Reading does not wait where the caller has seen with poll(2) that `descriptor` is readable; so one
/// loop serves a transport, standard input and signals without threads.
package protocol HCITransport: ~Copyable {
  /// What to poll for input.
  var descriptor: Int32 { get }

  /// Sends one packet.
  mutating func send(_ packet: HCIPacket) throws(TransportError)

  /// The packets that came; waits where there is nothing to read.
  mutating func receive() throws(TransportError) -> [HCIPacket]
}

/// Why a transport cannot be used, or no longer.
package enum TransportError: Error, Sendable, Equatable {
  /// The system refused a call.
  case system(Errno)
  /// The other end closed the transport.
  case closed(String)
  /// What came is no HCI in H4 framing.
  case notH4(String, H4Fault)
}

extension TransportError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .system(let errno): "\(errno)"
    case .closed(let name): "\(name): the controller has gone"
    case .notH4(let name, let fault):
      "\(name): byte \(fault.offset) is \(fault.found), which begins no HCI packet"
    }
  }
}

/// H4 over a descriptor: TCP, a serial line, or the kernel's user channel, which has the same
/// framing and keeps packets apart by itself.
package struct H4Transport: HCITransport, ~Copyable {
  private let file: FileDescriptor
  private let name: String
  private var framer = H4Framer()
  private var buffer = [UInt8](repeating: 0, count: 8_192)

  /// Opens the transport with a name.
  package init(_ transport: TransportName) throws(TransportError) {
    do throws(Errno) {
      switch transport {
      case .controller(let index): file = try FileDescriptor.open(controller: index)
      case .tcp(let host, let port): file = try FileDescriptor.connect(host: host, port: port)
      case .serial(let path, let baud):
        file = try FileDescriptor.open(serial: path, baud: baud, usesFlowControl: true)
      }
    } catch {
      throw .system(error)
    }
    name = file.path ?? "controller"
  }

  package var descriptor: Int32 { file.rawValue }

  package mutating func send(_ packet: HCIPacket) throws(TransportError) {
    do throws(Errno) {
      try file.write(packet.framed)
    } catch {
      throw error.isBrokenPipe ? .closed(name) : .system(error)
    }
  }

  package mutating func receive() throws(TransportError) -> [HCIPacket] {
    let count: Int
    do throws(Errno) {
      count = try file.read(into: &buffer, range: 0..<buffer.count)
    } catch {
      throw .system(error)
    }
    if count == 0 { throw .closed(name) }
    do throws(H4Fault) {
      return try framer.feed(buffer[0..<count])
    } catch {
      throw .notH4(name, error)
    }
  }
}
