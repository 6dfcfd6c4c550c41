import Glibc

extension Command {
  /// Runs the process's own command line and ends the process with its exit code.
  package func main() -> Never {
    exit(run(Array(CommandLine.arguments.dropFirst()), output: .standard()).rawValue)
  }
}
