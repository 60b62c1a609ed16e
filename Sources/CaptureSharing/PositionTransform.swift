/// What becomes of positions: all are turned on the globe by one secret rotation, so that distances
/// between them stay; or they are dropped.
package struct PositionTransform: Sendable {
  private let rows: [[Double]]?
  private let climb: Float

  /// Drops every position: 0 stands for each.
  package static let dropping = PositionTransform(rows: nil, climb: 0)

  private init(rows: [[Double]]?, climb: Float) {
    self.rows = rows
    self.climb = climb
  }

  /// The rotation that follows from the run's key: a unit quaternion.
  package init(_ pseudonyms: Pseudonyms) {
    let draws = pseudonyms.bytes([], "rotation", count: 40)
    var parts = (0..<4).map { part in
      Double(draws[part * 8..<part * 8 + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 11)
        / Double(1 << 53) - 0.5
    }
    let length = parts.reduce(0) { $0 + $1 * $1 }.squareRoot()
    parts = length > 0 ? parts.map { $0 / length } : [1, 0, 0, 0]
    let (w, x, y, z) = (parts[0], parts[1], parts[2], parts[3])
    rows = [
      [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
      [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
      [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    climb = Float(Int(draws[32]) << 8 | Int(draws[33])) / 128 - 256
  }

  /// The place that stands for one, in degrees. No place, as 0 and 0 say, stays none.
  package func place(latitude: Float, longitude: Float) -> (latitude: Float, longitude: Float) {
    guard let rows else { return (0, 0) }
    guard latitude.isFinite, longitude.isFinite, latitude != 0 || longitude != 0 else {
      return (latitude.isFinite ? 0 : latitude, longitude.isFinite ? 0 : longitude)
    }
    guard abs(latitude) <= 90, abs(longitude) <= 180 else {
      // What is no place on the globe stays none, and tells nothing.
      return (abs(latitude) > 90 ? 91 : 0, abs(longitude) > 180 ? 181 : 0)
    }
    let radian = Double.pi / 180
    let (phi, lambda) = (Double(latitude) * radian, Double(longitude) * radian)
    let point = [cosine(phi) * cosine(lambda), cosine(phi) * sine(lambda), sine(phi)]
    let turned = rows.map { row in zip(row, point).reduce(0) { $0 + $1.0 * $1.1 } }
    let (x, y, z) = (turned[0], turned[1], turned[2])
    let newLatitude = arctangent(z, (x * x + y * y).squareRoot()) / radian
    return (Float(newLatitude), Float(arctangent(y, x) / radian))
  }

  /// The height that stands for one, in metres.
  package func height(_ value: Float) -> Float {
    guard rows != nil, value.isFinite, value != 0 else { return value.isFinite ? 0 : value }
    return value + climb
  }

  // MARK: - The functions that the standard library lacks

  /// The sine by halving the angle and its series; exact to 1e-15 for a turn either way.
  private func sine(_ angle: Double) -> Double {
    var angle = angle
    var term = angle
    var sum = angle
    if abs(angle) > 0.8 {
      let half = angle / 2
      return 2 * sine(half) * cosine(half)
    }
    angle *= angle
    for step in 1..<12 {
      term *= -angle / Double((2 * step) * (2 * step + 1))
      sum += term
    }
    return sum
  }

  private func cosine(_ angle: Double) -> Double {
    let half = sine(angle / 2)
    return 1 - 2 * half * half
  }

  /// The angle of a point, from -pi to pi.
  private func arctangent(_ y: Double, _ x: Double) -> Double {
    if x == 0 && y == 0 { return 0 }
    if abs(y) > abs(x) {
      return (y > 0 ? Double.pi / 2 : -Double.pi / 2) - arctangent(ratio: x / y)
    }
    let angle = arctangent(ratio: y / x)
    if x > 0 { return angle }
    return y >= 0 ? angle + Double.pi : angle - Double.pi
  }

  /// The arctangent of a ratio between -1 and 1: halved twice, then its series.
  private func arctangent(ratio: Double) -> Double {
    var value = ratio
    for _ in 0..<3 { value /= 1 + (1 + value * value).squareRoot() }
    let square = value * value
    var power = value
    var sum = 0.0
    for step in 0..<16 {
      sum += (step.isMultiple(of: 2) ? power : -power) / Double(2 * step + 1)
      power *= square
    }
    return sum * 8
  }
}
