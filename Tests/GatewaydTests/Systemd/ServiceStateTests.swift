import Testing

@testable import gatewayd

/// Protects what systemd is told: each state in the words of sd_notify(3), and no text that could say more than its own.
@Suite("Service state") struct ServiceStateTests {
  @Test(
    "Each state has its words",
    arguments: [
      (.ready(status: "Serving"), "READY=1\nSTATUS=Serving"), (.status("5 devices"), "STATUS=5 devices"),
      (.reloading(monotonicMicroseconds: 12), "RELOADING=1\nMONOTONIC_USEC=12"),
      (.stopping(status: "Draining"), "STOPPING=1\nSTATUS=Draining"), (.alive, "WATCHDOG=1"),
    ] as [(ServiceState, String)])
  func words(state: ServiceState, message: String) {
    #expect(state.message == message)
  }

  @Test("A line break in a status begins no other assignment") func lineBreaks() {
    #expect(ServiceState.status("a\nWATCHDOG=trigger\r\nb").message == "STATUS=a WATCHDOG=trigger  b")
  }
}
