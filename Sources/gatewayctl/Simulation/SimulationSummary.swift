import TokenStore

/// The final report of a simulation: what `simulate --json` prints last. Latencies are milliseconds, gaps are seconds.
struct SimulationSummary: Encodable {
  struct Spread: Encodable, Equatable {
    let count: Int
    let p50: Double
    let p90: Double
    let p99: Double
    let max: Double

    /// - Parameter unit: how many of the distribution's units are one of the report's.
    init?(_ distribution: Distribution, unit: Double) {
      guard let p50 = distribution.percentile(0.5), let p90 = distribution.percentile(0.9),
        let p99 = distribution.percentile(0.99)
      else { return nil }
      count = distribution.count
      self.p50 = Double(p50) / unit
      self.p90 = Double(p90) / unit
      self.p99 = Double(p99) / unit
      max = Double(distribution.maximum) / unit
    }
  }

  struct Profile: Encodable {
    let profile: String
    let devices: Int
    let ready: Int
    let refreshes: Int
    let refreshedWidgets: Int
    let duplicates: Int
    let unexplainedDuplicates: Int
    let lostReceipts: Int
    let reconnects: Int
    let reinstallations: Int
    let behind: SimulationTotals.Behind
    let latency: Spread?
    let gaps: Spread?

    init(_ name: String, _ totals: SimulationTotals) {
      profile = name
      devices = totals.devices
      ready = totals.ready
      refreshes = totals.refreshes
      refreshedWidgets = totals.widgets
      duplicates = totals.duplicates
      unexplainedDuplicates = totals.unexplained
      lostReceipts = totals.lostReceipts
      reconnects = totals.reconnects
      reinstallations = totals.reinstallations
      behind = totals.behind
      latency = Spread(totals.latency, unit: 1000)
      gaps = Spread(totals.gaps, unit: 1000)
    }
  }

  struct WidgetRow: Encodable {
    let platform: String
    let kind: String
    let family: String
    let widgets: Int
    let refreshes: Int
    let neverRefreshed: Int
    let gaps: Spread?
  }

  let event = "summary"
  let seed: UInt64
  let seconds: Double
  /// When the last device had got in; absent when one never did.
  let readySeconds: Double?
  /// How long the enrolment key's limits made devices wait.
  let heldBackSeconds: Double
  let devices: Int
  let ready: Int
  let refreshes: Int
  let refreshedWidgets: Int
  let duplicates: Int
  let unexplainedDuplicates: Int
  let lostReceipts: Int
  let reconnects: Int
  let reinstallations: Int
  let behind: SimulationTotals.Behind
  let latency: Spread?
  let gaps: Spread?
  let profiles: [Profile]
  let widgets: [WidgetRow]

  init(
    plan: SimulationPlan, totals: [String: SimulationTotals], rows: WidgetRows, seconds: Double,
    readyAfter: Double?, heldBack: Double
  ) {
    var sum = SimulationTotals()
    for one in totals.values { sum.add(one) }
    let all = Profile("all", sum)
    seed = plan.seed
    self.seconds = seconds
    readySeconds = readyAfter
    heldBackSeconds = heldBack
    devices = all.devices
    ready = all.ready
    refreshes = all.refreshes
    refreshedWidgets = all.refreshedWidgets
    duplicates = all.duplicates
    unexplainedDuplicates = all.unexplainedDuplicates
    lostReceipts = all.lostReceipts
    reconnects = all.reconnects
    reinstallations = all.reinstallations
    behind = all.behind
    latency = all.latency
    gaps = all.gaps
    profiles = totals.sorted { $0.key < $1.key }.map { Profile($0.key, $0.value) }
    let families = WidgetFamily.allCases.map(\.rawValue)
    widgets = rows.rows.map { one, row in
      WidgetRow(
        platform: one.platform.rawValue, kind: one.kind, family: one.family, widgets: row.widgets,
        refreshes: row.refreshes, neverRefreshed: row.neverRefreshed, gaps: Spread(row.gaps, unit: 1000))
    }.sorted { left, right in
      let (leftFamily, rightFamily) = (families.firstIndex(of: left.family), families.firstIndex(of: right.family))
      return (left.platform, left.kind, leftFamily ?? 0) < (right.platform, right.kind, rightFamily ?? 0)
    }
  }

  /// Everybody got in, no push passed a widget by without a reason, and nothing came twice that had been confirmed.
  var isClean: Bool { ready == devices && behind.missed == 0 && unexplainedDuplicates == 0 }
}
