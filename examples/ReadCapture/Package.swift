// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ReadCapture",
  // Elsewhere: .package(url: "https://.../peat-inspect.git", from: "0.2.0").
  dependencies: [.package(name: "peat-inspect", path: "../..")],
  targets: [
    .executableTarget(
      name: "read-capture",
      dependencies: [.product(name: "PeatReading", package: "peat-inspect")])
  ]
)
