package import TokenStore

/// Finds a registration by environment and token.
package struct TokenIndex {
  private let table = ProbeTable<RegistrationState>()

  package init() {}

  package var count: Int { table.count }

  package func find(_ token: DeviceToken, in environment: GatewayEnvironment) -> RegistrationState? {
    table.find(hash: Self.hash(token, environment)) { $0.heldEnvironment == environment && $0.heldToken == token }
  }

  /// The registration's token and environment must not change while it is in here.
  package func insert(_ registration: RegistrationState) { table.insert(registration, hash: Self.hash(of:)) }

  /// As ``insert(_:)``, unless another has its token in its environment.
  /// - Returns: whether it is in here now.
  func insertNew(_ registration: RegistrationState) -> Bool {
    table.insert(registration, hash: Self.hash(of:)) {
      $0.heldEnvironment == registration.heldEnvironment && $0.heldToken == registration.heldToken
    }
  }

  /// Room for so many more.
  func makeRoom(for more: Int) { table.makeRoom(for: more, Self.hash(of:)) }

  package func remove(_ registration: RegistrationState) { table.remove(registration, hash: Self.hash(of:)) }

  private static func hash(of registration: RegistrationState) -> Int {
    hash(registration.heldToken, registration.heldEnvironment)
  }

  private static func hash(_ token: DeviceToken, _ environment: GatewayEnvironment) -> Int {
    var hasher = Hasher()
    token.hash(into: &hasher)
    hasher.combine(environment == .production)
    return hasher.finalize()
  }
}
