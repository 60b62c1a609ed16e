import CaptureFormats

/// Where the packets of a live run come from.
protocol MonitorInput: AnyObject {
  /// A descriptor that can be read when packets come; nil where only time brings them.
  var descriptor: Int32? { get }

  /// The moment of the machine's clock at which to look again, though the descriptor is silent.
  var nextLook: UInt64? { get }

  /// The input's own moment for one of the machine's clock.
  func moment(at now: UInt64) -> UInt64

  /// Hands over packets that are there, a bounded number; tells whether the input has ended.
  func pump(into engine: inout MonitorEngine, at now: UInt64) throws(CaptureError) -> InputState

  /// All that can be read when packets come.
  var descriptors: [Int32] { get }

  /// Takes the faults that ended a part of the input since the last call, while others go on.
  func takeFailures() -> [CaptureError]

  /// Takes what is to be said of the input since the last call.
  func takeNews() -> [String]

  /// Damage of the container so far.
  var damages: [CaptureError] { get }
  /// What is odd about the container.
  var notes: [String] { get }
  /// The same with the file it is of, where the input as a whole is called `file`.
  func notes(of file: String) -> [(file: String, text: String)]
}

extension MonitorInput {
  func takeNews() -> [String] { [] }
  func takeFailures() -> [CaptureError] { [] }
  var descriptors: [Int32] { [descriptor].compactMap { $0 } }
  func notes(of file: String) -> [(file: String, text: String)] {
    notes.map { (file: file, text: $0) }
  }
}

/// What an input has left.
enum InputState {
  /// There may be more at once.
  case ready
  /// Nothing is there now.
  case waiting
  /// Nothing will come any more.
  case ended
}
