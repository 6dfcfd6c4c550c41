package import BudgetThrottle
package import TokenStore

/// When devices were last heard of, and the removal of what has been silent for long.
extension Ledger {
  /// How exactly a contact is remembered: a device that calls all day long is written once.
  package static let contactGrain: Int64 = 86_400_000

  /// The device has shown its key, or its stream has ended.
  package func noteContact(with device: DeviceState, at now: LedgerTime) {
    if let last = device.lastSeen, now.milliseconds(since: last) < Self.contactGrain { return }
    device.lastSeen = now
    write(device)
  }

  /// A stream that stands for weeks is one long contact. And a device of which an earlier version did not keep it counts
  /// as seen when this one first looked.
  func noteStanding(of device: DeviceState, at now: LedgerTime) {
    if device.isAttached || device.lastSeen == nil { noteContact(with: device, at: now) }
  }

  /// Whether nothing was heard of the device for so long. What was last heard may be a day newer than what is
  /// remembered, so that a device counts as stale up to a day late and never early.
  /// - Parameter age: milliseconds.
  package func isStale(_ device: DeviceState, olderThan age: Int64, at now: LedgerTime) -> Bool {
    guard !device.isAttached, let last = device.lastSeen else { return false }
    return now.milliseconds(since: last.advanced(byMilliseconds: Self.contactGrain)) >= age
  }

  /// A removal of stale registrations under way: goes over all of them, a slice at a time.
  package struct StaleSweep: Sendable {
    /// A budget is full again after a day, so that nobody earns one by being removed; milliseconds.
    package static let shortestAge: Int64 = 86_400_000

    /// Milliseconds.
    package let age: Int64
    /// Only registrations of this app; their devices stay. nil: all, and their devices with them.
    package let app: BundleID?
    package let isDryRun: Bool
    package fileprivate(set) var met = 0
    package fileprivate(set) var registrations = 0
    package fileprivate(set) var devices = 0
    private var last: UInt64 = 0

    /// - Parameter age: at least ``shortestAge``.
    package init(olderThan age: Int64, app: BundleID?, isDryRun: Bool) {
      self.age = max(age, Self.shortestAge)
      self.app = app
      self.isDryRun = isDryRun
    }

    fileprivate var walk: RegistrationWalk {
      get { RegistrationWalk(after: last) }
      set { last = newValue.last }
    }
  }

  /// - Parameters:
  ///   - limit: registrations that this slice looks at.
  ///   - removals: registrations after whose removal it ends.
  /// - Returns: whether there is more to look at.
  package func advance(
    _ sweep: inout StaleSweep, at now: LedgerTime, wall: UnixTime, limit: Int = 4096, removals: Int = 256
  ) -> Bool {
    var walk = sweep.walk
    defer { sweep.walk = walk }
    var removed = 0
    for _ in 0..<limit {
      guard removed < removals else { return true }
      guard let registration = walk.next(in: registrations) else { return false }
      let device = registration.device
      guard sweep.app == nil || registration.app.bundleID == sweep.app else { continue }
      if registration.isActive { sweep.met += 1 }
      guard isStale(device, olderThan: sweep.age, at: now) else { continue }
      removed += 1
      if registration.isActive { sweep.registrations += 1 }
      guard sweep.app == nil else {
        if !sweep.isDryRun { remove(registration, at: now, wall: wall) }
        continue
      }
      // The device goes with the last of its registrations that the walk meets.
      if device.registrations.allSatisfy({ $0.id <= registration.id }) {
        sweep.devices += 1
        if !sweep.isDryRun { leave(device, at: now, wall: wall) }
      }
    }
    return true
  }

  /// One line for the whole of it.
  /// - Parameter why: the rule and what it removed.
  package func noteSweep(_ sweep: StaleSweep, who: String, why: String, uid: UInt32?, wall: UnixTime) {
    append(
      AuditEntry(
        at: wall, action: .registrationsSwept, subject: .registrations(sweep.app), who: who, why: why,
        by: .operatorRequest(uid: uid), until: nil))
  }
}
