import CommandLineInterface
import Foundation
import Synchronization

@testable import gatewayctl

/// A command that runs until it is interrupted, on a thread of its own.
final class BackgroundRun: Sendable {
  let output = Output.captured()
  private let state = Mutex<(thread: pthread_t?, code: ExitCode?)>((nil, nil))

  init(_ arguments: [String]) {
    Thread.detachNewThread { [self] in
      state.withLock { $0.thread = pthread_self() }
      let code = Program.gatewayctl.run(arguments, output: output)
      state.withLock { $0.code = code }
    }
  }

  /// Waits for a line that has all of these; nil when the command ends without one.
  func line(with parts: String...) -> String? {
    while true {
      let hasEnded = state.withLock { $0.code != nil }
      let line = output.printedText.split(separator: "\n").first { line in parts.allSatisfy { line.contains($0) } }
      if let line { return String(line) }
      if hasEnded { return nil }
      usleep(2000)
    }
  }

  func count(of part: String) -> Int { output.printedText.split(separator: "\n").filter { $0.contains(part) }.count }

  /// As Ctrl-C, to this thread alone.
  func interrupt() -> ExitCode {
    if let thread = state.withLock({ $0.thread }) { pthread_kill(thread, SIGINT) }
    while true {
      if let code = state.withLock({ $0.code }) { return code }
      usleep(2000)
    }
  }
}
