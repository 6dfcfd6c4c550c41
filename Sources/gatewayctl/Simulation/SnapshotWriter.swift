import CommandLineInterface
import FoundationEssentials
import GatewayIO
import HTTPMessage
import TokenStore

/// Keeps a picture of one simulated device's screens up to date, while the simulation runs. A push that is deferred tells
/// the device nothing, so the gateway is asked what it decided, as `explain` of the device port says it, and what is left
/// of the budgets.
final class SnapshotWriter {
  /// Milliseconds from one look to the next.
  static let interval: Int64 = 1000
  private static let decisions = 200

  private struct Explanation: Decodable {
    struct Decision: Decodable {
      let app: String
      let widgets: [Refresh.Widget]
      let outcome: String
      let waitsFor: String?
      let until: String?

      private enum CodingKeys: String, CodingKey {
        case app, widgets, outcome, until
        case waitsFor = "waits-for"
      }
    }
    let decisions: [Decision]
  }

  private let plan: SnapshotPlan
  private let device: SimulatedDevice
  private var waiting: [SimulationPlan.Widget: String] = [:]
  private var last: Snapshot?
  private(set) var failure: String?

  init(plan: SnapshotPlan, device: SimulatedDevice) {
    self.plan = plan
    self.device = device
  }

  /// Asks the gateway; `then` follows once it has answered. Nothing happens while the device is away: its screens stay.
  func look(then: @escaping () -> Void) {
    guard device.state == .streaming else { return then() }
    let device = device
    device.putRegistration { [weak self] in
      let path = device.path("explain?last=\(Self.decisions)")
      device.send(.get, path, key: device.key ?? "") { [weak self] response in
        if let answer = try? JSONDecoder().decode(Explanation.self, from: Data(response.body)), response.status == 200 {
          self?.learn(answer)
        }
        then()
      }
    }
  }

  /// The newest decision about a widget says whether a push waits for it.
  private func learn(_ explanation: Explanation) {
    var decided: Set<SimulationPlan.Widget> = []
    waiting = [:]
    for decision in explanation.decisions where decision.app == device.plan.bundleID {
      for named in decision.widgets {
        let widget = SimulationPlan.Widget(kind: named.kind, family: named.family)
        // Of a push that came again, and of one that was taken the place of, nothing waits.
        guard !["duplicate", "superseded", "rejected"].contains(decision.outcome), decided.insert(widget).inserted
        else {
          continue
        }
        guard decision.outcome == "marked" || decision.outcome == "deferred" else { continue }
        let until = decision.until.map { " until " + $0.dropFirst(11).prefix(8) } ?? ""
        waiting[widget] = (decision.waitsFor ?? "its turn") + until
      }
    }
  }

  private var snapshot: Snapshot {
    Snapshot(
      device: device.plan.label(of: device.number), app: device.plan.bundleID, platform: device.role.platform,
      os: device.role.os,
      widgets: device.widgets.compactMap { widget in
        guard let family = WidgetFamily(rawValue: widget.family) else { return nil }
        let name = SimulationPlan.Widget(kind: widget.kind, family: widget.family)
        let freshness: Snapshot.Freshness =
          if let reason = waiting[name] {
            .stale(waitsFor: reason)
          } else {
            widget.refreshes > 0 ? .fresh : .asPlaced
          }
        return Snapshot.Widget(
          kind: widget.kind, family: family, freshness: freshness, lastRefresh: widget.lastRefreshTime,
          lastPush: widget.lastPush, refreshes: widget.refreshes, limit: widget.limit, remaining: widget.remaining,
          mostRemaining: widget.mostRemaining)
      })
  }

  /// Writes the picture if it would show something new. A reader never sees half of one.
  func write(at wallMilliseconds: Int64) {
    let snapshot = snapshot
    guard snapshot != last, failure == nil else { return }
    last = snapshot
    do throws(CommandFailure) {
      try OutputFile.replace(
        plan.path, with: SnapshotPainter.draw(snapshot, at: wallMilliseconds), what: "the picture")
    } catch {
      failure = error.message
    }
  }
}
