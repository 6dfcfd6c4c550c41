import TokenStore

/// What one device's screens show at one moment.
struct Snapshot: Equatable {
  enum Freshness: Equatable {
    /// What stands there since it was placed; no push has asked for anything newer.
    case asPlaced
    /// Refreshed, and nothing newer has been pushed since.
    case fresh
    /// A push has said that it is old, and it has not been refreshed. The text says what it waits for.
    case stale(waitsFor: String)
  }

  struct Widget: Equatable {
    let kind: String
    let family: WidgetFamily
    let freshness: Freshness
    /// Milliseconds since 1970.
    let lastRefresh: Int64?
    let lastPush: String?
    let refreshes: Int
    /// Refreshes a day and now; nil where budgets are off.
    let limit: Int?
    let remaining: Int?
    let mostRemaining: Int
  }

  let device: String
  let app: String
  let platform: Platform
  let os: String
  let widgets: [Widget]
}
