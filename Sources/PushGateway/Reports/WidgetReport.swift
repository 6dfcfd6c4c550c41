/// One widget and what it waits for.
public struct WidgetReport: Codable, Sendable, Equatable {
  /// Its place in the registration, from 0.
  public var index: Int
  public var kind: String
  public var family: String
  public var configuration: String?
  public var budget: WidgetBudget
  /// nil: nothing waits.
  public var mark: MarkReport?
  public var inFlight: InFlightReport?
  public var lastDecision: DecisionReport?

  public init(
    index: Int, kind: String, family: String, configuration: String? = nil, budget: WidgetBudget,
    mark: MarkReport? = nil, inFlight: InFlightReport? = nil, lastDecision: DecisionReport? = nil
  ) {
    self.index = index
    self.kind = kind
    self.family = family
    self.configuration = configuration
    self.budget = budget
    self.mark = mark
    self.inFlight = inFlight
    self.lastDecision = lastDecision
  }
}
