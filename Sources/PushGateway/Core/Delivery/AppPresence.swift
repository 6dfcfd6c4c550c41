import TokenStore

/// Whether anybody has an app.
struct AppPresence {
  /// Active registrations, by environment.
  private(set) var inDevelopment = 0
  private(set) var inProduction = 0
  /// Registrations, those included that wait for the app's return.
  var known = 0

  var count: Int { inDevelopment + inProduction }

  mutating func add(_ more: AppPresence) {
    inDevelopment += more.inDevelopment
    inProduction += more.inProduction
    known += more.known
  }

  mutating func add(_ change: Int, in environment: GatewayEnvironment) {
    switch environment {
    case .development: inDevelopment += change
    case .production: inProduction += change
    }
  }
}
