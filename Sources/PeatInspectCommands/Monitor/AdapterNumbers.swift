/// Numbers for the adapters of several inputs of one run: an adapter keeps its own number unless
/// another input has it already.
struct AdapterNumbers {
  /// Adapters told apart; of more, all of one input are one.
  private static let limit = 1024

  private struct Origin: Hashable {
    var input: Int
    var adapter: Int
  }

  private var numbers: [Origin: Int] = [:]
  private var inputs: [Int: Int] = [:]

  /// The number of an input's adapter.
  mutating func number(of adapter: Int, input: Int) -> Int {
    let origin = Origin(input: input, adapter: adapter)
    if let known = numbers[origin] { return known }
    guard numbers.count < AdapterNumbers.limit else { return AdapterNumbers.limit + input }
    let wished = (0..<AdapterNumbers.limit).contains(adapter) ? adapter : 0
    let isFree = inputs[wished] == nil
    let number = isFree ? wished : (0...).first { inputs[$0] == nil } ?? wished
    numbers[origin] = number
    inputs[number] = input
    return number
  }

  /// The input that an adapter belongs to.
  func input(of number: Int) -> Int? {
    inputs[number] ?? (number >= AdapterNumbers.limit ? number - AdapterNumbers.limit : nil)
  }
}
