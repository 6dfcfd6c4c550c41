/// A metric with all its series, as Prometheus sees it. Names follow its conventions: prefix `gatewayd_`, base units,
/// `_total` on counters. Labels take values from closed lists only, never tokens or bundle IDs: series must not grow
/// with what is served.
public struct MetricFamily: Sendable, Equatable {
  public enum Kind: String, Sendable { case counter, gauge, histogram }

  public struct Label: Sendable, Equatable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  public struct Sample: Sendable, Equatable {
    /// Appended to the family's name: `_bucket`, `_sum` and `_count` of a histogram.
    public var suffix: String
    public var labels: [Label]
    public var value: Double

    public init(suffix: String = "", labels: [Label] = [], value: Double) {
      self.suffix = suffix
      self.labels = labels
      self.value = value
    }
  }

  public var name: String
  public var help: String
  public var kind: Kind
  public var samples: [Sample]

  public init(name: String, help: String, kind: Kind, samples: [Sample]) {
    self.name = name
    self.help = help
    self.kind = kind
    self.samples = samples
  }

  /// A metric without labels.
  public static func single(_ name: String, _ help: String, _ kind: Kind, _ value: Double) -> Self {
    Self(name: name, help: help, kind: kind, samples: [Sample(value: value)])
  }

  /// One series per value of one label.
  public static func labelled(
    _ name: String, _ help: String, _ kind: Kind, by label: String, _ values: [(String, Double)]
  ) -> Self {
    Self(
      name: name, help: help, kind: kind,
      samples: values.map { Sample(labels: [Label(label, $0.0)], value: $0.1) })
  }

  /// - Parameters:
  ///   - counts: observations that fell into each bucket and no lower one; one more than there are bounds, the last
  ///     for what is above them all.
  ///   - bounds: inclusive upper bounds, ascending.
  public static func histogram(
    _ name: String, _ help: String, bounds: [Double], counts: [UInt64], sum: Double, labels: [Label] = []
  ) -> Self {
    var samples: [Sample] = []
    var total: UInt64 = 0
    for (index, bound) in (bounds + [.infinity]).enumerated() {
      total += index < counts.count ? counts[index] : 0
      let label = Label("le", PrometheusText.number(bound))
      samples.append(Sample(suffix: "_bucket", labels: labels + [label], value: Double(total)))
    }
    samples.append(Sample(suffix: "_sum", labels: labels, value: sum))
    samples.append(Sample(suffix: "_count", labels: labels, value: Double(total)))
    return Self(name: name, help: help, kind: .histogram, samples: samples)
  }
}
