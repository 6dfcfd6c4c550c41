import GatewayReports
import Testing

/// Protects what Prometheus parses.
@Suite("Prometheus text") struct PrometheusTextTests {
  @Test("Families, labels and histograms come out in the exposition format") func exposition() {
    let text = PrometheusText.text(of: [
      .single("gatewayd_up", "Is 1\nwhile \\ it lives.", .gauge, 1),
      .labelled(
        "gatewayd_pushes_total", "Pushes.", .counter, by: "reason", [("a\"b\\c\nd", 3), ("ok", 1_234_567_890_123)]),
      .histogram(
        "gatewayd_commit_seconds", "Commits.", bounds: [0.001, 1], counts: [2, 3, 1], sum: 4.5,
        labels: [.init("kind", "full")]),
    ])
    #expect(
      text == #"""
        # HELP gatewayd_up Is 1\nwhile \\ it lives.
        # TYPE gatewayd_up gauge
        gatewayd_up 1
        # HELP gatewayd_pushes_total Pushes.
        # TYPE gatewayd_pushes_total counter
        gatewayd_pushes_total{reason="a\"b\\c\nd"} 3
        gatewayd_pushes_total{reason="ok"} 1234567890123
        # HELP gatewayd_commit_seconds Commits.
        # TYPE gatewayd_commit_seconds histogram
        gatewayd_commit_seconds_bucket{kind="full",le="0.001"} 2
        gatewayd_commit_seconds_bucket{kind="full",le="1"} 5
        gatewayd_commit_seconds_bucket{kind="full",le="+Inf"} 6
        gatewayd_commit_seconds_sum{kind="full"} 4.5
        gatewayd_commit_seconds_count{kind="full"} 6

        """#)
  }

  @Test(
    "Values that are no finite number are spelled as Prometheus reads them",
    arguments: [
      (Double.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (0.25, "0.25"), (-3, "-3"), (1e300, "1e+300"),
    ]) func numbers(value: Double, text: String)
  {
    #expect(PrometheusText.text(of: [.single("m", "h", .gauge, value)]).hasSuffix("\nm \(text)\n"))
  }
}
