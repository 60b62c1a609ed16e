/// A difference of two clocks at a time, as one message shows it.
struct Point {
  /// Seconds.
  var time: Double
  /// Seconds, with the message's latency in it.
  var difference: Double
  /// Whether the true difference lies below; else above.
  var isUpper: Bool
}

/// The room for a line below all upper points and above all lower ones.
struct Strip {
  private let upper: [Point]
  private let lower: [Point]

  /// How much room there is for lines of one slope.
  struct Gap {
    /// Negative where no line of the slope fits.
    var width: Double
    /// The middle of the room at time 0.
    var middle: Double
    /// Whether points of both kinds bound it.
    var isTwoSided: Bool
  }

  init(_ points: [Point]) {
    // Only corners of the two hulls can touch a line.
    upper = Strip.hull(points.filter(\.isUpper), sign: 1)
    lower = Strip.hull(points.filter { !$0.isUpper }, sign: -1)
  }

  /// The room for lines of a slope.
  func gap(_ slope: Double) -> Gap {
    let top = upper.map { $0.difference - slope * $0.time }.min()
    let bottom = lower.map { $0.difference - slope * $0.time }.max()
    switch (top, bottom) {
    case (let top?, let bottom?):
      return Gap(width: top - bottom, middle: (top + bottom) / 2, isTwoSided: true)
    case (let top?, nil): return Gap(width: 0, middle: top, isTwoSided: false)
    case (nil, let bottom?): return Gap(width: 0, middle: bottom, isTwoSided: false)
    case (nil, nil): return Gap(width: 0, middle: 0, isTwoSided: false)
    }
  }

  /// The slope with the most room; the width is concave in the slope, so a search finds it.
  func bestSlope(within limit: Double) -> Double {
    var low = -limit
    var high = limit
    for _ in 0..<64 {
      let third = (high - low) / 3
      if gap(low + third).width < gap(high - third).width {
        low += third
      } else {
        high -= third
      }
    }
    return (low + high) / 2
  }

  /// The lower hull (`sign` 1) or the upper one (-1), by Andrew's monotone chain.
  private static func hull(_ points: [Point], sign: Double) -> [Point] {
    var corners: [Point] = []
    for point in points.sorted(by: {
      ($0.time, sign * $0.difference) < ($1.time, sign * $1.difference)
    }) {
      while corners.count >= 2 {
        let first = corners[corners.count - 2]
        let second = corners[corners.count - 1]
        let turn =
          (second.time - first.time) * (point.difference - first.difference)
          - (second.difference - first.difference) * (point.time - first.time)
        if sign * turn > 0 { break }
        corners.removeLast()
      }
      corners.append(point)
    }
    return corners
  }
}
