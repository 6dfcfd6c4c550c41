/// One standing lift of the budget. It ends by time or by hand, and never reaches a production registration.
package struct DeveloperModeGrant<Subject: Hashable & Sendable>: Hashable, Sendable {
  package enum Granter: Hashable, Sendable {
    /// Over the admin API; on its socket with the peer's Unix user.
    case operatorRequest(uid: UInt32?)
    /// By the device with its own key, as Apple's switch sits on the device.
    case deviceSwitch
  }

  package var subject: Subject
  package var since: LedgerTime
  /// The grant has no effect from this instant on.
  package var until: LedgerTime
  package var who: String
  package var why: String
  package var granter: Granter

  package init(
    subject: Subject, since: LedgerTime, until: LedgerTime, who: String, why: String, granter: Granter
  ) {
    self.subject = subject
    self.since = since
    self.until = until
    self.who = who
    self.why = why
    self.granter = granter
  }
}
