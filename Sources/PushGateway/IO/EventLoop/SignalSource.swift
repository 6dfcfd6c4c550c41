import CLinux
import Glibc

/// The signals by which a service manager or a person speaks to the process.
package enum ProcessSignal: Sendable, CaseIterable {
  /// TERM: drain and end.
  case terminate
  /// INT: the same, from a keyboard.
  case interrupt
  /// HUP: reload.
  case hangup

  var number: Int32 {
    switch self {
    case .terminate: SIGTERM
    case .interrupt: SIGINT
    case .hangup: SIGHUP
    }
  }
}

/// Whoever hears the signals.
package protocol SignalHandler: AnyObject {
  func received(_ signal: ProcessSignal)
}

/// Signals as a descriptor on a loop, so that no code ever runs in a signal handler.
package final class SignalSource: EventHandler {
  private let descriptor: FileDescriptor
  private unowned let handler: any SignalHandler

  /// Blocks TERM, INT, HUP, PIPE and XFSZ. Call it on the main thread before any other thread exists: threads inherit the
  /// mask, and one that has them open would be ended by them. Without XFSZ a file-size limit is an error that a write
  /// answers with.
  package static func blockSignals() {
    var set = signalSet()
    sigaddset(&set, SIGPIPE)
    sigaddset(&set, SIGXFSZ)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// The handler must outlive the source's time on the loop. Signals that came since ``blockSignals()`` are not lost.
  package init(handler: any SignalHandler) throws(SystemCallError) {
    var set = Self.signalSet()
    let raw = signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    let code = errno
    guard raw >= 0 else { throw SystemCallError(call: "signalfd", code: code) }
    descriptor = FileDescriptor(owning: raw)
    self.handler = handler
  }

  @discardableResult
  package func start(on loop: EventLoop) throws(SystemCallError) -> Registration {
    try loop.register(descriptor.raw, for: .readable, handler: self)
  }

  package func ready(_ readiness: Readiness) {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    while read(descriptor.raw, &info, size) == size {
      let number = Int32(bitPattern: info.ssi_signo)
      if let signal = ProcessSignal.allCases.first(where: { $0.number == number }) { handler.received(signal) }
    }
  }

  private static func signalSet() -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in ProcessSignal.allCases { sigaddset(&set, signal.number) }
    return set
  }
}
