package import TokenStore

/// One line of what operators and device switches did. Entries are only ever added.
package struct AuditEntry: Hashable, Sendable {
  package enum Action: UInt8, CaseIterable, Sendable {
    case developerModeOn = 1
    case developerModeOff
    /// Ended by time.
    case developerModeEnded
    case budgetReset
  }

  package var at: UnixTime
  package var action: Action
  /// `app com.example.caffeine`, `device <uuid>`, or the registration that a reset was for.
  package var subject: String
  package var who: String
  package var why: String
  /// The peer's Unix user, where the request came over the admin socket.
  package var uid: UInt32?
  /// When a grant ends.
  package var until: UnixTime?
}
