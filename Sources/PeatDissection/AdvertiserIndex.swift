import BluetoothProtocols

/// Where each address of a list stands in it: a hash table with open addressing, as every report of
/// an advertiser asks for its place.
struct AdvertiserIndex: Sendable {
  /// Place plus one; 0 where nothing is. Its size is a power of two, at least twice what is in it.
  private var places: [Int32] = []

  @inline(__always)
  private func home(_ address: DeviceAddress) -> Int {
    let mixed = address.value &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 40) & (places.count - 1)
  }

  /// The place of an address in the list; nil where it is not there.
  func place(of address: DeviceAddress, in list: [Advertiser]) -> Int? {
    guard !places.isEmpty else { return nil }
    var slot = home(address)
    while places[slot] != 0 {
      let place = Int(places[slot]) - 1
      if list[place].address == address { return place }
      slot = (slot + 1) & (places.count - 1)
    }
    return nil
  }

  /// Enters the last one of the list.
  mutating func insertLast(of list: [Advertiser]) {
    guard let last = list.last else { return }
    guard list.count * 2 <= places.count else {
      rebuild(list)
      return
    }
    insert(last.address, list.count)
  }

  /// Enters all of a list anew.
  mutating func rebuild(_ list: [Advertiser]) {
    var room = 16
    while room < list.count * 4 { room *= 2 }
    places = Array(repeating: 0, count: room)
    for (place, advertiser) in list.enumerated() { insert(advertiser.address, place + 1) }
  }

  private mutating func insert(_ address: DeviceAddress, _ number: Int) {
    var slot = home(address)
    while places[slot] != 0 { slot = (slot + 1) & (places.count - 1) }
    places[slot] = Int32(truncatingIfNeeded: number)
  }
}

/// How long ago a device was heard, for finding those to forget.
struct AdvertiserRank {
  /// Peat nodes last, then by the frame of the last report.
  var rank: UInt64
  var address: UInt64
  var place: Int

  init(_ advertiser: Advertiser, place: Int) {
    rank = UInt64(advertiser.isPeat ? 1 : 0) << 63 | UInt64(max(0, advertiser.lastFrame))
    address = advertiser.address.value
    self.place = place
  }

  private static func precedes(_ left: AdvertiserRank, _ right: AdvertiserRank) -> Bool {
    left.rank != right.rank ? left.rank < right.rank : left.address < right.address
  }

  /// Brings the `count` lowest to the front, in any order (Hoare's selection).
  static func select(_ count: Int, of ranks: inout [AdvertiserRank]) {
    var low = 0
    var high = ranks.count - 1
    while low < high {
      let pivot = ranks[low + (high - low) / 2]
      var left = low
      var right = high
      while left <= right {
        while precedes(ranks[left], pivot) { left += 1 }
        while precedes(pivot, ranks[right]) { right -= 1 }
        if left <= right {
          ranks.swapAt(left, right)
          left += 1
          right -= 1
        }
      }
      if count <= right {
        high = right
      } else if count >= left {
        low = left
      } else {
        return
      }
    }
  }
}
