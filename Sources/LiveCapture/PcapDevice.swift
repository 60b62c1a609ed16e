import BluetoothHost
import CPcap
package import CaptureFormats
import WireBytes

/// A capture device opened by libpcap; packets come one by one, without waiting.
@safe
package struct PcapDevice: ~Copyable, PacketSource {
  /// The most of a packet that is kept: more than any Bluetooth packet has.
  private static let snapLength: Int32 = 262_144
  private static let bufferSize: Int32 = 16 << 20
  /// How many packets come between two looks at the drop counters.
  private static let statisticsInterval = 256

  /// The device as the user named it.
  package let name: String
  /// How its packets are wrapped.
  package let link: LinkType
  /// Becomes readable when packets come.
  package let descriptor: Int32
  private var losses: LossCounter
  private let handle: OpaquePointer
  private var packet: [UInt8] = []
  private var frames: Int

  /// Opens a device: `bluetoothN` or `bluetooth-monitor`.
  ///
  /// - Parameter earlier: packets that were counted before, where it is opened again.
  package init(name: String, frames earlier: Int = 0) throws(DeviceError) {
    try PcapDevice.check(name)
    let opened = unsafe try PcapDevice.open(name)
    self.name = name
    frames = earlier
    unsafe handle = opened.handle
    losses = LossCounter(from: unsafe PcapDevice.losses(of: opened.handle) ?? 0)
    descriptor = unsafe opened.descriptor
    link = LinkType(number: UInt32(clamping: unsafe pcap_datalink(opened.handle)))
  }

  /// What can be told without opening the device: libpcap's own messages name no remedy.
  private static func check(_ name: String) throws(DeviceError) {
    guard Adapters.areSupported else {
      throw DeviceError(
        device: name, reason: CaptureDevice.unsupported.reason,
        remedy: CaptureDevice.unsupported.remedy)
    }
    let known = CaptureDevice.all()
    guard let device = known.first(where: { $0.name == name }) else {
      let names = known.map(\.name).joined(separator: ", ")
      var error = DeviceError(
        device: name, reason: "no such device; there are \(names)",
        remedy: "peat-inspect interfaces")
      error.isAbsent = true
      throw error
    }
    if let lack = device.lacks.first { throw lack }
  }

  deinit { unsafe pcap_close(handle) }

  private static func open(_ name: String) throws(DeviceError) -> (
    handle: OpaquePointer, descriptor: Int32
  ) {
    var text = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    guard let handle = unsafe pcap_create(name, &text) else {
      throw DeviceError(device: name, reason: message(text))
    }
    unsafe pcap_set_snaplen(handle, snapLength)
    unsafe pcap_set_immediate_mode(handle, 1)
    unsafe pcap_set_buffer_size(handle, bufferSize)
    unsafe pcap_set_timeout(handle, 10)
    let status = unsafe pcap_activate(handle)
    guard status >= 0 else {
      let reason = unsafe String(cString: pcap_geterr(handle))
      unsafe pcap_close(handle)
      let isPermission = status == PCAP_ERROR_PERM_DENIED
      throw DeviceError(
        device: name, reason: reason.isEmpty ? "cannot be opened" : reason,
        remedy: isPermission ? Privileges.setcapCommand : nil)
    }
    let descriptor = unsafe pcap_get_selectable_fd(handle)
    guard descriptor >= 0, unsafe pcap_setnonblock(handle, 1, &text) == 0 else {
      unsafe pcap_close(handle)
      throw DeviceError(device: name, reason: "gives no descriptor to wait for")
    }
    // Programs that alerts start must not inherit what was opened with more than they may do.
    peat_close_on_exec(descriptor)
    // A capture that would silently miss the data is refused: libpcap says nothing of it.
    if name != "bluetooth-monitor", !Adapters.passesData(descriptor) {
      unsafe pcap_close(handle)
      throw CaptureDevice.missingPermission(name, Privileges.setcapCommand)
    }
    return unsafe (handle, descriptor)
  }

  private static func message(_ text: [CChar]) -> String {
    String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The next packet; nil where none is there now. Throws where the device has gone.
  @_lifetime(&self)
  package mutating func next() throws(CaptureError) -> RecordView? {
    var header: UnsafeMutablePointer<pcap_pkthdr>?
    var data: UnsafePointer<UInt8>?
    let result = unsafe pcap_next_ex(handle, &header, &data)
    guard result == 1, let header = unsafe header, let data = unsafe data else {
      if result == 0 { return nil }
      let reason = unsafe String(cString: pcap_geterr(handle))
      throw CaptureError(.io, path: name, reason: reason.isEmpty ? "the device has gone" : reason)
    }
    // libpcap lends `caplen` bytes until its next call; they are copied at once.
    let count = unsafe Int(header.pointee.caplen)
    packet.removeAll(keepingCapacity: true)
    unsafe packet.append(contentsOf: UnsafeBufferPointer(start: data, count: count))
    let seconds = unsafe Int64(header.pointee.ts.tv_sec)
    let microseconds = unsafe Int64(header.pointee.ts.tv_usec)
    frames += 1
    if frames % PcapDevice.statisticsInterval == 1 { readStatistics() }
    return RecordView(
      packet: packet.rawBytes, of: link, frame: frames,
      time: Timestamp(microseconds: seconds &* 1_000_000 &+ microseconds),
      originalLength: unsafe Int(header.pointee.len), drops: drops)
  }

  /// Asks for the drop counters. Some devices have none.
  package mutating func readStatistics() {
    if let count = unsafe PcapDevice.losses(of: handle) { losses.read(count) }
  }

  /// What the device has lost; of an adapter, that is what it counted since it was plugged in.
  private static func losses(of handle: OpaquePointer) -> UInt32? {
    var statistics = pcap_stat()
    guard unsafe pcap_stats(handle, &statistics) == 0 else { return nil }
    return statistics.ps_drop &+ statistics.ps_ifdrop
  }

  /// Packets that kernel and library lost since the device was opened.
  package var drops: UInt32 { losses.lost }
}
