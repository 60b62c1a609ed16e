import CFuzzer
import Glibc

// peat-fuzz TARGET [LIBFUZZER-ARGUMENT...]: one executable, for building is what takes longest.

guard CommandLine.arguments.count > 1 else {
  for target in FuzzTarget.allCases { print(target.rawValue) }
  exit(0)
}
guard let target = FuzzTarget(rawValue: CommandLine.arguments[1]) else {
  print("there is no target \(CommandLine.arguments[1]); without arguments they are listed")
  exit(2)
}
FuzzTarget.chosen = target

var count = CommandLine.argc - 1
var words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
exit(LLVMFuzzerRunDriver(&count, &words, runChosenTarget))
