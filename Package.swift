// swift-tools-version: 6.2
import PackageDescription

/// Every target is built under the same strict settings; `Lifetimes` is what lets the byte cursor be
/// a non-escaping view over a span.
let settings: [SwiftSetting] = [
  .enableExperimentalFeature("Lifetimes"),
  .strictMemorySafety(),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

let testSettings: [SwiftSetting] = [
  .enableExperimentalFeature("Lifetimes"),
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
]

func library(
  _ name: String, _ dependencies: Target.Dependency..., resources: [Resource] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: Target.Dependency...) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: [.byName(name: name), "PeatTestSupport"] + dependencies,
    swiftSettings: testSettings)
}

let package = Package(
  name: "peat-inspect",
  products: [
    .executable(name: "peat-inspect", targets: ["peat-inspect"]),
    .library(name: "PeatProtocol", targets: ["PeatProtocol"]),
    .library(
      name: "PeatCapture", targets: ["CaptureFormats", "BluetoothProtocols", "PeatDissection"]),
    .library(name: "PeatReading", targets: ["PeatReading"]),
  ],
  targets: [
    // C libraries
    .systemLibrary(
      name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    // These two are opened when they are needed: what they bring along takes long to load.
    .target(name: "CArchive"),
    .target(name: "CPcap"),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    // Without pkg-config, whose flags SwiftPM warns of: the module map links it.
    .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"])]),
    .systemLibrary(
      name: "CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),

    // Layer 0
    library("WireBytes"),
    library("SystemIO"),
    library("CommandLineOptions"),

    // Layer 1
    library("CaptureFormats", "WireBytes", "SystemIO", "CArchive", "CZlib"),
    library("BluetoothProtocols", "WireBytes"),
    library("PeatProtocol", "WireBytes"),
    library("BluetoothMesh", "WireBytes"),
    library("SMPProtocol", "WireBytes"),

    // Layer 2
    library("PeatSecurity", "PeatProtocol", "WireBytes", "CSodium"),
    library("FirmwareUpgrades", "SMPProtocol", "WireBytes"),
    library("MeshSecurity", "BluetoothMesh", "PeatSecurity", "WireBytes", "CCrypto"),
    library(
      "MeshDissection", "MeshSecurity", "BluetoothMesh", "PeatSecurity", "WireBytes"),
    library("PeatReplay", "PeatProtocol", "WireBytes"),
    library("LiveCapture", "BluetoothHost", "CaptureFormats", "SystemIO", "WireBytes", "CPcap"),
    library("BluetoothHost", "BluetoothProtocols", "SystemIO", "WireBytes", "CBluetooth"),
    library(
      "PeatDissection", "CaptureFormats", "BluetoothProtocols", "PeatProtocol", "PeatSecurity",
      "SMPProtocol", "WireBytes"),

    // Layer 3
    library(
      "PeatTimeline", "FirmwareUpgrades", "SMPProtocol", "MeshDissection", "MeshSecurity",
      "BluetoothMesh", "PeatDissection",
      "PeatReplay", "PeatSecurity", "PeatProtocol", "CaptureFormats", "BluetoothProtocols",
      "WireBytes"),
    // What other programs use of the timeline; the tool itself stands on the layers below.
    library(
      "PeatReading", "PeatTimeline", "PeatReplay", "PeatDissection", "PeatSecurity", "PeatProtocol",
      "CaptureFormats", "BluetoothProtocols", "SystemIO", "WireBytes"),
    library(
      "PeatReports", "FirmwareUpgrades", "SMPProtocol", "PeatTimeline", "MeshDissection",
      "MeshSecurity", "BluetoothMesh",
      "PeatDissection", "PeatReplay", "CaptureFormats",
      "BluetoothProtocols", "PeatProtocol", "SystemIO", "WireBytes", "CSQLite",
      // In the binary, so that a report needs no file beside it.
      resources: ["data", "timeline", "message", "sections", "tables"].map {
        .embedInCode("HTML/assets/\($0).js")
      } + [.embedInCode("HTML/assets/report.css"), .embedInCode("HTML/assets/report.html")]),

    library(
      "PeatScreen", "PeatReports", "PeatTimeline", "PeatDissection", "PeatReplay", "PeatProtocol",
      "BluetoothProtocols", "SystemIO", "WireBytes", "CNcurses"),

    library(
      "PeatNode", "BluetoothHost", "BluetoothProtocols", "PeatSecurity", "PeatReplay",
      "PeatProtocol", "SystemIO", "WireBytes"),

    library(
      "CaptureSharing", "PeatReports", "PeatTimeline", "PeatDissection", "PeatSecurity",
      "PeatProtocol", "CaptureFormats", "BluetoothProtocols", "SystemIO", "WireBytes"),

    // Layers 4 and 5
    library(
      "PeatInspectCommands", "FirmwareUpgrades", "SMPProtocol", "MeshDissection", "MeshSecurity",
      "BluetoothMesh", "CaptureSharing",
      "PeatNode", "BluetoothHost", "CommandLineOptions",
      "PeatReports",
      "PeatTimeline", "PeatDissection",
      "PeatReplay", "PeatSecurity", "PeatProtocol", "CaptureFormats", "BluetoothProtocols",
      "LiveCapture", "PeatScreen", "SystemIO", "WireBytes"),
    .executableTarget(
      name: "peat-inspect", dependencies: ["PeatInspectCommands"], swiftSettings: settings),

    // Tests
    .target(
      name: "PeatTestSupport", dependencies: ["PeatProtocol", "WireBytes"],
      path: "Tests/PeatTestSupport",
      swiftSettings: testSettings),
    tests("WireBytes"),
    tests("SystemIO"),
    tests("CommandLineOptions"),
    tests("CaptureFormats", "WireBytes", "SystemIO"),
    tests("BluetoothProtocols", "WireBytes"),
    tests("PeatProtocol", "WireBytes"),
    tests("PeatSecurity", "PeatProtocol", "WireBytes"),
    tests("BluetoothMesh", "WireBytes"),
    tests("SMPProtocol", "WireBytes"),
    tests("FirmwareUpgrades", "SMPProtocol", "WireBytes"),
    tests("MeshSecurity", "BluetoothMesh", "PeatSecurity", "WireBytes"),
    tests("PeatReplay", "PeatProtocol", "WireBytes"),
    tests("LiveCapture", "BluetoothHost", "CaptureFormats", "WireBytes"),
    tests("BluetoothHost", "BluetoothProtocols", "SystemIO", "WireBytes"),
    tests(
      "PeatNode", "BluetoothHost", "BluetoothProtocols", "PeatProtocol", "PeatSecurity", "SystemIO",
      "WireBytes"),
    tests("PeatDissection", "CaptureFormats", "BluetoothProtocols", "PeatProtocol", "WireBytes"),
    tests(
      "PeatScreen", "PeatReports", "PeatTimeline", "PeatDissection", "PeatReplay", "PeatSecurity",
      "PeatProtocol",
      "CaptureFormats", "WireBytes"),
    tests("PeatReading", "PeatProtocol"),
    tests("PeatReports", "PeatTimeline", "PeatDissection", "PeatProtocol", "WireBytes"),
    tests(
      "PeatInspectCommands", "BluetoothHost", "BluetoothProtocols", "CommandLineOptions",
      "LiveCapture", "SystemIO", "WireBytes"),
  ],
  swiftLanguageModes: [.v6]
)

// Fuzzing (`make fuzz`) needs the sanitizers' runtime, which not every installation of Swift has.
if Context.environment["PEAT_FUZZ"] != nil {
  package.targets += [
    .systemLibrary(name: "CFuzzer", path: "Fuzz/CFuzzer"),
    .executableTarget(
      name: "peat-fuzz",
      dependencies: [
        "CFuzzer", "PeatTestSupport", "PeatInspectCommands", "PeatTimeline", "PeatReports",
        "MeshDissection", "MeshSecurity", "BluetoothMesh", "SMPProtocol", "PeatSecurity",
        "PeatProtocol", "BluetoothHost", "BluetoothProtocols", "CaptureFormats", "SystemIO",
        "WireBytes",
      ],
      path: "Fuzz/peat-fuzz", swiftSettings: testSettings),
  ]
}
