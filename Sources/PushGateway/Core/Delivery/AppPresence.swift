import TokenStore

/// How many active registrations an app has, by environment.
struct AppPresence {
  private(set) var inDevelopment = 0
  private(set) var inProduction = 0

  var count: Int { inDevelopment + inProduction }

  mutating func add(_ change: Int, in environment: GatewayEnvironment) {
    switch environment {
    case .development: inDevelopment += change
    case .production: inProduction += change
    }
  }
}
