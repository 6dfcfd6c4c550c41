import GatewayReports
import Testing

@testable import gatewayd

/// Protects what `systemctl status` says: the unusual first, and numbers that are those of the gateway.
@Suite("Status line") struct StatusLineTests {
  private func status(ready: Bool = true, grants: Int = 0, reload: ReloadReport? = nil) -> GatewayStatus {
    GatewayStatus(
      version: "1", started: ReportTime(milliseconds: 0), uptimeSeconds: 5,
      readiness: ready ? ReadinessReport(ready: true) : ReadinessReport(ready: false, why: "draining"), listeners: [],
      connections: ConnectionCounts(provider: 2, device: 1), devices: 3, connectedDevices: 1, registrations: 4,
      widgets: 8, waitingWidgets: 5, inFlightWidgets: 0, pushes: PushCounts(accepted: 9, refused: 1),
      store: StoreReport(epoch: 1, journalEntries: 0, journalBytes: 0, pendingEntries: 0),
      developerModeGrants: grants, lastReload: reload)
  }

  @Test("A quiet gateway is a line of numbers") func quiet() {
    #expect(
      StatusLine.text(of: status(), rate: PushRate())
        == "2 provider and 1 device connection, 1 device on a stream, 5 widgets waiting")
  }

  @Test("What is unusual stands first") func unusual() {
    let failed = ReloadReport(time: ReportTime(milliseconds: 0), succeeded: false, problems: ["x"])
    let text = StatusLine.text(of: status(ready: false, grants: 2, reload: failed), rate: PushRate())
    #expect(
      text.hasPrefix(
        "not ready: draining, the last reload failed, an older configuration is served, developer mode active (2 grants), "
      ))
  }

  @Test("The rate is what came between two looks") func rate() {
    var rate = PushRate()
    rate.note(PushCounts(accepted: 100, refused: 0), at: 1000)
    #expect(rate.text == "")
    rate.note(PushCounts(accepted: 1100, refused: 500), at: 6000)
    #expect(rate.text == "300")
    rate.note(PushCounts(accepted: 1103, refused: 500), at: 8000)
    #expect(rate.text == "1.5")
    rate.note(PushCounts(accepted: 1103, refused: 500), at: 8000)
    #expect(rate.text == "1.5")
    rate.note(PushCounts(accepted: 1103, refused: 500), at: 9000)
    #expect(rate.text == "0")
  }

  @Test("The kernel's line about a process is read, whatever the program's name") func processStatistics() throws {
    let line = "42 (a b) c) S 1 2 3 4 5 6 7 8 9 10 250 150 13 14 15 16 9 18 3000 1048576 512 19\n"
    let stat = try #require(ProcessMetrics.Stat(line, bootSeconds: 1000, ticks: 100, pageBytes: 4096))
    #expect(stat.cpuSeconds == 4 && stat.threads == 9 && stat.startSeconds == 1030)
    #expect(stat.virtualBytes == 1_048_576 && stat.residentBytes == 512 * 4096)
    #expect(ProcessMetrics.Stat("42 (gatewayd", bootSeconds: 0, ticks: 100, pageBytes: 4096) == nil)
    #expect(ProcessMetrics.families.count == 7)
  }
}
