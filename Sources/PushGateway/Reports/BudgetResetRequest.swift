/// What `POST /v1/budgets/<token>/reset` may bear.
public struct BudgetResetRequest: Codable, Sendable, Equatable {
  public var who: String?
  public var why: String?

  public init(who: String? = nil, why: String? = nil) {
    self.who = who
    self.why = why
  }
}
