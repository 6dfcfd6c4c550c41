import CommandLineInterface
import GatewayReports

/// Gathers where several pushes stand.
struct Explanation {
  let admin: AdminClient
  private(set) var outcomes: [WidgetOutcome] = []
  /// By token. Absent: not asked for yet.
  private var widgets: [String: [Int: WidgetReport]] = [:]

  init(admin: AdminClient) { self.admin = admin }

  /// The newest pushes of an id, oldest first.
  mutating func add(id: String, last count: Int) throws {
    let answer: AdminClient.Answer<ExplainReport> = try admin.get(["explain", id])
    let pushes = answer.report.pushes.sorted { ($0.received, $0.number ?? 0) < ($1.received, $1.number ?? 0) }
    for push in pushes.suffix(count) { try add(push, name: nil) }
  }

  /// Pushes that were sent; the gateway is asked about those that it accepted.
  mutating func add(results: [PushResult]) throws {
    for result in results {
      guard result.status == 200, let id = result.apnsID else {
        outcomes.append(WidgetOutcome(result))
        continue
      }
      let answer: AdminClient.Answer<ExplainReport>? = try admin.find(["explain", id])
      let pushes =
        answer?.report.pushes.filter {
          $0.token.lowercased() == result.token.lowercased() && $0.apnsID.uppercased() == id.uppercased()
        } ?? []
      if pushes.isEmpty {
        outcomes.append(WidgetOutcome(result, why: "the gateway remembers nothing of it"))
      }
      for push in pushes { try add(push, name: result.name) }
    }
  }

  private mutating func add(_ push: PushReport, name: String?) throws {
    outcomes += WidgetOutcome.all(of: push, name: name, widgets: try widgets(of: push.token))
  }

  private mutating func widgets(of token: String) throws -> [Int: WidgetReport] {
    if let known = widgets[token] { return known }
    let answer: AdminClient.Answer<RegistrationReport>? = try admin.find(["registrations", token])
    let found = Dictionary((answer?.report.widgets ?? []).map { ($0.index, $0) }, uniquingKeysWith: { $1 })
    widgets[token] = found
    return found
  }
}
