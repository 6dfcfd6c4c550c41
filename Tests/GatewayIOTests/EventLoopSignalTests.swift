import GatewayIO
import Glibc
import Testing

private final class Ear: SignalHandler {
  var heard: [ProcessSignal] = []
  func received(_ signal: ProcessSignal) { heard.append(signal) }
}

/// Protects start, reload and drain: a signal is an event on the loop and ends nothing by itself.
@Suite("Signals") struct EventLoopSignalTests {
  @Test("Signals that came before the source exists are heard, each as itself")
  func heard() throws {
    let report = try Mailbox<Int>(capacity: 1)
    // A thread of its own: the mask and the pending signals are that thread's alone.
    let thread = try LoopThread(name: "signals") {
      SignalSource.blockSignals()
      pthread_kill(pthread_self(), SIGHUP)
      pthread_kill(pthread_self(), SIGTERM)
      let ear = Ear()
      guard let loop = try? EventLoop(), let source = try? SignalSource(handler: ear),
        let registration = try? source.start(on: loop)
      else { return }
      turn(loop) { ear.heard.count == 2 }
      loop.remove(registration)
      _ = report.post(ear.heard == [.hangup, .terminate] || ear.heard == [.terminate, .hangup] ? 1 : 0)
    }
    thread.join()
    let loop = try EventLoop()
    let probe = Probe()
    var outcome: [Int] = []
    probe.onBatch = { outcome = $0 }
    try loop.attach(report, to: probe)
    loop.turn(waitingAtMost: 0)
    #expect(outcome == [1])
  }

  @Test("A failed call is told in the system's words")
  func words() {
    #expect(SystemCallError(call: "bind", code: EADDRINUSE).description == "bind: Address already in use")
  }
}
