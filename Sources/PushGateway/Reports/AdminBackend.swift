/// What the admin API asks of the gateway. Calls come from admin threads, several at a time, and may block for a
/// bounded time; a gateway whose threads do not answer in that time throws ``AdminFailure/unavailable(_:)``.
///
/// Texts in requests have been checked for length and control characters, not for meaning: whether a token is known, a
/// grant is too long or developer mode is forbidden is for the gateway to say.
public protocol AdminBackend: Sendable {
  /// A load balancer asks it every second: it answers within the patience of one, whatever the gateway does.
  func isReady() -> ReadinessReport

  func status() throws(AdminFailure) -> GatewayStatus

  /// Registrations, page by page, in no order.
  ///
  /// - Parameters:
  ///   - limit: 1 to 1000.
  ///   - after: the `next` of the page before, or nil for the first.
  ///   - app: only those of this bundle ID.
  func registrations(limit: Int, after: String?, app: String?) throws(AdminFailure) -> RegistrationPage

  /// All registrations as JSON lines, a part at a time.
  /// - Parameter app: only those of this bundle ID.
  func exportRegistrations(app: String?) throws(AdminFailure) -> any RegistrationExport

  /// Takes over what is new, line by line; see ``ImportReport``.
  /// - Parameters:
  ///   - text: whole lines.
  ///   - who: for the log.
  func importRegistrations(
    _ text: [UInt8], dryRun: Bool, who: String, peerUID: UInt32?
  ) throws(AdminFailure) -> ImportReport

  func sweepRegistrations(_ request: SweepRequest, peerUID: UInt32?) throws(AdminFailure) -> SweepReport

  /// - Parameter token: hex in any case.
  func registration(token: String) throws(AdminFailure) -> RegistrationReport

  /// Peeks: never writes.
  func budgets(token: String) throws(AdminFailure) -> BudgetReport

  /// Fills the cells of every widget of the registration and returns them as they are then.
  func resetBudget(token: String, who: String, why: String, peerUID: UInt32?) throws(AdminFailure) -> BudgetReport

  /// The active grants.
  func developerModes() throws(AdminFailure) -> [DeveloperModeReport]

  /// Grants, or replaces the grant for the same app or device.
  ///
  /// - Parameter peerUID: of the process at the other end of the Unix socket; nil over TCP.
  func grantDeveloperMode(
    _ request: DeveloperModeRequest, peerUID: UInt32?
  ) throws(AdminFailure) -> DeveloperModeReport

  /// Ends a grant before its time; throws 404 when there is none. Exactly one of `app` and `device` is not nil.
  func endDeveloperMode(
    app: String?, device: String?, who: String, why: String?, peerUID: UInt32?
  ) throws(AdminFailure)

  /// Newest last; at most the newest 1000.
  func developerModeAudit() throws(AdminFailure) -> [DeveloperModeAuditEntry]

  /// - Parameter id: an `apns-id` or `apns-unique-id` in any case, or a device token.
  func explain(id: String) throws(AdminFailure) -> ExplainReport

  /// The newest pushes of all.
  /// - Parameter count: 1 to 200.
  func explainNewest(_ count: Int, refusedOnly: Bool) throws(AdminFailure) -> ExplainListReport

  func metrics() throws(AdminFailure) -> [MetricFamily]

  /// A copy of the whole store, of one moment. Takes as long as the disk takes; pushes are answered meanwhile.
  func backup() throws(AdminFailure) -> BackupFile
}
