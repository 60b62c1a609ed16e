/// What is fuzzed, by name.
enum FuzzTarget: String, CaseIterable {
  case containers, archives, hci, air, commands
  case peat, sealed, mesh, smp, cbor, json
  case filter, keys, config, decode
  case server, rewriter

  /// The target of this process; libFuzzer's callback carries no context.
  nonisolated(unsafe) static var chosen = FuzzTarget.containers

  /// Gives one input to the target.
  func run(_ bytes: [UInt8]) {
    switch self {
    case .containers: CaptureFuzz.containers(bytes)
    case .archives: CaptureFuzz.archives(bytes)
    case .hci: CommandFuzz.hci(bytes)
    case .air: CommandFuzz.air(bytes)
    case .commands: CommandFuzz.any(bytes)
    case .rewriter: CommandFuzz.rewriter(bytes)
    case .peat: MessageFuzz.kinds(bytes)
    case .sealed: MessageFuzz.sealed(bytes)
    case .mesh: MeshFuzz.values(bytes)
    case .smp: MeshFuzz.smp(bytes)
    case .cbor: MeshFuzz.cbor(bytes)
    case .json: MeshFuzz.database(bytes)
    case .filter: TextFuzz.filter(bytes)
    case .keys: TextFuzz.keys(bytes)
    case .config: TextFuzz.config(bytes)
    case .decode: TextFuzz.decode(bytes)
    case .server: ServerFuzz.conversation(bytes)
    }
  }
}

/// What libFuzzer calls with each input; its own `main`, which is not used, asks for it by this name.
@_cdecl("LLVMFuzzerTestOneInput")
func runChosenTarget(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  FuzzTarget.chosen.run([UInt8](UnsafeBufferPointer(start: data, count: size)))
  return 0
}
