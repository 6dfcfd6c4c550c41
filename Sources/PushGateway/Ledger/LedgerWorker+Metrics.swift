import BudgetThrottle
import GatewayCore
import GatewayReports
import TokenStoreSQLite

/// The number of series is fixed: no label has a token, a device or an app.
extension LedgerWorker {
  /// What the ledger counts; connections and requests are the loops' to tell (``LoopFigures/metrics``).
  var metrics: [MetricFamily] {
    let ledger = ledger.counters
    let widgets = self.ledger.widgetCounts
    return [
      .single("gatewayd_ready", "1 while pushes are taken.", .gauge, readiness.ready ? 1 : 0),
      .single("gatewayd_pushes_accepted_total", "Pushes answered 200.", .counter, Double(counters.accepted)),
      .single(
        "gatewayd_pushes_duplicate_total", "Accepted pushes whose apns-id had been accepted before.", .counter,
        Double(ledger.pushesDuplicate)),
      .labelled(
        "gatewayd_widgets_handed_over_total", "Refreshes handed over, by how they were paid for.", .counter, by: "toll",
        RefreshDecision.Toll.allCases.map { ("\($0)", Double(ledger.handOvers[Int($0.rawValue)])) }),
      .labelled(
        "gatewayd_widget_marks_total", "What became of marks that were not handed over, and how many were made.",
        .counter, by: "event",
        [
          ("marked", Double(ledger.widgetsMarked)), ("superseded", Double(ledger.widgetsSuperseded)),
          ("dropped", Double(ledger.widgetsDropped)), ("expired", Double(ledger.widgetsExpired)),
          ("received", Double(ledger.widgetsReceived)),
        ]),
      .labelled(
        "gatewayd_events_total", "Events written to devices' streams.", .counter, by: "try",
        [("first", Double(ledger.eventsSent)), ("again", Double(ledger.eventsSentAgain))]),
      .single("gatewayd_devices", "Enrolled devices.", .gauge, Double(self.ledger.devices.count)),
      .single("gatewayd_devices_connected", "Devices that hold a stream.", .gauge, Double(self.ledger.attachedCount)),
      .single(
        "gatewayd_registrations", "Registrations, removed apps with spent budgets included.", .gauge,
        Double(self.ledger.registrations.count)),
      .labelled(
        "gatewayd_widgets", "Widgets by what they wait for.", .gauge,
        by: "state",
        [
          ("waiting", Double(widgets.waiting)), ("in-flight", Double(widgets.inFlight)),
          ("all", Double(widgets.widgets)),
        ]),
      .single(
        "gatewayd_developer_mode_grants", "Standing grants of developer mode.", .gauge,
        Double(self.ledger.developerMode.standing(at: now).count)),
      .single(
        "gatewayd_journal_bytes", "Journal that rows do not cover yet.", .gauge, Double(self.ledger.batch.journalBytes)),
      .single(
        "gatewayd_journal_entries", "Commits whose journal rows do not cover yet.", .gauge,
        Double(self.ledger.batch.journalEntries)),
      .single(
        "gatewayd_store_pending_bytes", "Accepted work that waits for its commit; see limits.store-backlog-bytes.",
        .gauge, Double(store.pendingBytes + commits.byteCount)),
      .single(
        "gatewayd_explain_decisions", "Decisions remembered for explain.", .gauge, Double(self.ledger.trail.count)),
      .single(
        "gatewayd_explain_bytes", "Memory, and about as much disk, that they take.", .gauge,
        Double(self.ledger.trail.bytes)),
      .single("gatewayd_commits_total", "Batches that became durable.", .counter, Double(counters.batchesDurable)),
      .single(
        "gatewayd_commit_failures_total", "Tries to commit that failed.", .counter, Double(counters.commitFailures)),
      .histogram(
        "gatewayd_commit_seconds", "From a batch's end to its durability.", bounds: counters.commitLatency.bounds,
        counts: counters.commitLatency.counts, sum: counters.commitLatency.sum),
      .histogram(
        "gatewayd_push_to_event_seconds",
        "From a push's arrival to its event on a device's stream, of those that had to wait for nothing but their commit.",
        bounds: counters.eventLatency.bounds, counts: counters.eventLatency.counts, sum: counters.eventLatency.sum),
    ]
  }
}
