package import BudgetThrottle
package import TokenStore

/// One line of what operators and device switches did. Entries are only ever added.
package struct AuditEntry: Hashable, Sendable {
  package enum Action: UInt8, CaseIterable, Sendable {
    case developerModeOn = 1
    case developerModeOff
    /// Ended by time, or with its device.
    case developerModeEnded
    case budgetReset
    case registrationsSwept
  }

  /// What it was done to.
  package enum Subject: Hashable, Sendable, CustomStringConvertible {
    case developerMode(DeveloperModeSubject)
    /// The budgets of one app on one device.
    case budgets(BundleID, DeviceID)
    /// Registrations of one app, or of all.
    case registrations(BundleID?)

    package var description: String {
      switch self {
      case .developerMode(let subject): subject.description
      case .budgets(let app, let device): "\(app) on device \(device)"
      case .registrations(let app): app.map { "registrations of \($0)" } ?? "all registrations"
      }
    }
  }

  package var at: UnixTime
  package var action: Action
  package var subject: Subject
  package var who: String
  package var why: String
  /// Who did it; of a grant that ended by itself, who had granted it.
  package var by: DeveloperMode.Grant.Granter
  /// When a grant ends.
  package var until: UnixTime?

  /// The peer's Unix user, where the request came over the admin socket.
  package var uid: UInt32? {
    guard case .operatorRequest(let uid) = by else { return nil }
    return uid
  }
}
