/// The budgets of one registration; `GET /v1/budgets/<token>`.
public struct BudgetReport: Codable, Sendable, Equatable {
  public struct Widget: Codable, Sendable, Equatable {
    public var index: Int
    public var kind: String
    public var family: String
    public var configuration: String?
    public var budget: WidgetBudget

    public init(index: Int, kind: String, family: String, configuration: String?, budget: WidgetBudget) {
      self.index = index
      self.kind = kind
      self.family = family
      self.configuration = configuration
      self.budget = budget
    }
  }

  public var token: String
  public var app: String
  public var environment: String
  /// Its budgets are lifted now.
  public var developerMode: Bool
  public var widgets: [Widget]

  public init(token: String, app: String, environment: String, developerMode: Bool, widgets: [Widget]) {
    self.token = token
    self.app = app
    self.environment = environment
    self.developerMode = developerMode
    self.widgets = widgets
  }
}
