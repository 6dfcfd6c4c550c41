package import BudgetThrottle
package import TokenStore

extension Ledger {
  /// Why a stored row or record cannot be taken back. A store that is damaged is named and never served over.
  package struct RestoreError: Error, CustomStringConvertible {
    package let place: String
    package let cause: String
    package var description: String { "\(place): \(cause)" }
  }

  /// The tables in the order in which they must be read: a registration names its device.
  package static let restoreOrder: [StoredRow.Table] = [
    .setting, .device, .registration, .retiredToken, .developerMode, .audit, .fanOut,
  ]

  /// Reads a store back: rows first, in ``Ledger/restoreOrder``, then the journal in its order, then ``finish``.
  package struct Restore {
    private let ledger: Ledger
    private var devices = RowOrder<DeviceState>()
    private let models = SharedValues<DeviceModel>()
    /// Each with the journal position that its row holds.
    private var registrations = RowOrder<(state: RegistrationState, asOf: UInt64)>()
    private let reader = RegistrationReader()
    private var inTrail: Set<UInt64> = []
    /// By generation.
    private var storedPolicies: [UInt32: BudgetPolicySet] = [:]
    private var lately: LookedUp?
    /// Registrations of one app that are not in the ledger's count of it yet: neighbours mostly have the same.
    private var counted: (bundleID: BundleID, presence: AppPresence)?

    /// The policies of one list of widgets, which are those of the next registration too, as a rule.
    private struct LookedUp {
      let generation: UInt32
      let app: App
      let platform: Platform
      let widgets: [Widget]
      let policies: [UInt32]
    }

    package init(into ledger: Ledger) { self.ledger = ledger }

    /// Room for as many rows as there will be, so that no table has to grow over and over.
    package mutating func makeRoom(devices deviceCount: Int, registrations registrationCount: Int) {
      devices.makeRoom(for: deviceCount)
      ledger.devices.makeRoom(for: deviceCount)
      registrations.makeRoom(for: registrationCount)
      ledger.registrations.makeRoom(for: registrationCount)
      ledger.index.makeRoom(for: registrationCount)
    }

    /// One row; those of a table by ascending id.
    package mutating func row(
      _ table: StoredRow.Table, id: UInt64, asOf: UInt64, _ value: UnsafeRawBufferPointer
    ) throws(RestoreError) {
      var reader = ByteReader(value)
      do throws(ByteReader.Damage) {
        guard id <= UInt64(Int64.max) else { throw reader.damage("a row id that can be counted on from") }
        switch table {
        case .setting:
          guard let generation = UInt32(exactly: id), generation < .max else {
            throw reader.damage("a generation of policies that can be counted on from")
          }
          storedPolicies[generation] = try BudgetPolicySet.decode(&reader)
        case .device: try device(id, &reader)
        case .registration: try registration(id, asOf, &reader)
        case .retiredToken:
          let token = try RetiredToken.decode(&reader)
          ledger.retired.restore(token, row: id)
        case .developerMode: ledger.developerMode.restore(try DeveloperMode.Grant.decode(&reader), row: id)
        case .audit:
          ledger.audit.restore(try AuditEntry.decode(&reader), row: id)
        case .fanOut:
          let fanOut = try FanOut.decode(number: id, &reader)
          ledger.fanOuts.insert(fanOut)
          ledger.nextNumber = max(ledger.nextNumber, id + 1)
          // Ids of registrations that have left come again otherwise, and who comes later would pass for one of them.
          ledger.nextRegistrationID = max(ledger.nextRegistrationID, fanOut.end)
        }
        try reader.end()
      } catch {
        throw RestoreError(place: "row \(id) of table \(table)", cause: error.description)
      }
    }

    /// One journal row. Records that a registration's row already holds are skipped; those of a registration that is
    /// gone have nothing to say.
    package mutating func journal(sequence: UInt64, _ bytes: UnsafeRawBufferPointer) throws(RestoreError) {
      var reader = ByteReader(bytes)
      do throws(ByteReader.Damage) {
        guard sequence <= UInt64(Int64.max) else { throw reader.damage("a position that can be counted on from") }
        ledger.batch.noteEntry(sequence: sequence, bytes: bytes.count)
        guard try reader.byte() == LedgerRecord.codecVersion else {
          throw reader.damage("records of version \(LedgerRecord.codecVersion)")
        }
        while !reader.isAtEnd {
          let (id, record) = try LedgerRecord.decode(&reader)
          ledger.nextRegistrationID = max(ledger.nextRegistrationID, id + 1)
          note(record)
          guard let place = registrations.find(id) else { continue }
          let (registration, asOf) = registrations.values[place]
          guard asOf < sequence else { continue }
          ledger.change(registration) { $0.apply(record) }
          ledger.batch.noteDirty(registration, since: sequence)
        }
      } catch {
        throw RestoreError(place: "journal entry \(sequence)", cause: error.description)
      }
    }

    /// One row of the trail, in the order of their positions. What cannot be read explains nothing, and is no reason
    /// not to serve.
    /// - Returns: whether it could be read.
    package mutating func trail(position: UInt64, _ bytes: [UInt8]) -> Bool {
      do throws(ByteReader.Damage) {
        try ledger.trail.restore(bytes, at: position) { inTrail.insert($0.registration) }
        return true
      } catch {
        return false
      }
    }

    /// - Parameter now: ledger time of this start.
    package consuming func finish(at now: LedgerTime) {
      count(nil)
      for id in inTrail {
        if let place = registrations.find(id) { registrations.values[place].state.isTraced = true }
      }
      ledger.trail.forgetOutlived(at: now)
      let oldest = ledger.audit.count - ledger.audit.remembered.count
      for (offset, entry) in ledger.audit.remembered.enumerated() where entry.action == .developerModeOn {
        if case .developerMode(let subject) = entry.subject { ledger.developerMode.note(oldest + offset, for: subject) }
      }
      changeOver(at: now)
    }

    /// Cells were settled under the rules that they were kept under, and change over to those in force.
    private func changeOver(at now: LedgerTime) {
      guard let newest = storedPolicies.keys.max() else { return ledger.writePolicies() }
      ledger.policyGeneration = newest
      ledger.oldGenerations = Set(storedPolicies.keys.filter { $0 < newest })
      if storedPolicies[newest] != ledger.rules.budget { ledger.beginPolicies() }
      guard !ledger.oldGenerations.isEmpty else { return }
      for registration in ledger.registrations { ledger.refreshPolicies(of: registration, at: now) }
      ledger.forgetOldPolicies()
    }

    private mutating func device(_ number: UInt64, _ reader: inout ByteReader) throws(ByteReader.Damage) {
      let ledger = ledger
      let device = try DeviceState.decodeRow(number: number, &reader, sharing: models) { ledger.intern($0) }
      guard devices.append(device, id: number) else { throw reader.damage("rows in the order of their ids") }
      guard ledger.adoptNew(device) else { throw reader.damage("a device that no other row holds") }
      ledger.nextDeviceNumber = max(ledger.nextDeviceNumber, number + 1)
    }

    private mutating func registration(
      _ id: UInt64, _ asOf: UInt64, _ reader: inout ByteReader
    ) throws(ByteReader.Damage) {
      let ledger = ledger
      let registration = try self.reader.read(
        id: id, &reader, app: { BundleID($0).map { ledger.app($0) } },
        device: { devices.find($0).map { devices.values[$0] } }, intern: { ledger.intern($0) })
      guard registrations.append((registration, asOf), id: id) else {
        throw reader.damage("rows in the order of their ids")
      }
      guard !registration.device.registrations.contains(where: { $0.app === registration.app }) else {
        throw reader.damage("an app that its device has no other row for")
      }
      guard !registration.isActive || ledger.index.insertNew(registration) else {
        throw reader.damage("a token that no other row holds")
      }
      ledger.registrations.append(registration)
      ledger.widgets.add(registration.widgetCounts)
      registration.device.add(registration)
      count(registration)
      lookUpPolicies(of: registration)
      ledger.nextRegistrationID = max(ledger.nextRegistrationID, id + 1)
      for account in registration.accounts { ledger.nextNumber = max(ledger.nextNumber, account.lastNumber + 1) }
    }

    /// - Parameter registration: nil where none comes any more.
    private mutating func count(_ registration: RegistrationState?) {
      if let counted, counted.bundleID != registration?.app.bundleID {
        ledger.presence[counted.bundleID, default: AppPresence()].add(counted.presence)
        self.counted = nil
      }
      guard let registration else { return }
      var presence = counted?.presence ?? AppPresence()
      presence.known += 1
      if registration.isActive { presence.add(1, in: registration.environment) }
      counted = (registration.app.bundleID, presence)
    }

    /// Under the rules that its cells were kept under.
    private mutating func lookUpPolicies(of registration: RegistrationState) {
      var set = ledger.rules.budget
      if let oldest = storedPolicies.keys.min() {
        // A generation is forgotten once it makes no difference to any registration that has kept it.
        if storedPolicies[registration.policyGeneration] == nil { registration.policyGeneration = oldest }
        set = storedPolicies[registration.policyGeneration] ?? set
      }
      let known =
        lately.flatMap {
          $0.generation == registration.policyGeneration && $0.app === registration.app
            && $0.platform == registration.device.platform && $0.widgets == registration.widgets ? $0 : nil
        }
        ?? LookedUp(
          generation: registration.policyGeneration, app: registration.app, platform: registration.device.platform,
          widgets: registration.widgets,
          policies: registration.widgets.map {
            ledger.policyIndex(kind: $0.kind, family: $0.family, of: registration, in: set)
          })
      lately = known
      // What a row says has the first one.
      if known.policies.contains(where: { $0 != 0 }) {
        registration.changeAccounts { for place in $0.indices { $0[place].policy = known.policies[place] } }
      }
      guard registration.memory != nil else { return }
      for place in registration.left.indices {
        let left = registration.left[place]
        registration.left[place].policy = ledger.policyIndex(
          kind: left.kind, family: left.family, of: registration, in: set)
      }
    }

    private func note(_ record: LedgerRecord) {
      if case .pushed(let push) = record { ledger.nextNumber = max(ledger.nextNumber, push.content.number + 1) }
    }
  }

  /// The rules in force are another generation from here on. The one before stays in the store until the walk over all
  /// registrations is over: a start in between must know which cells are under which.
  func beginPolicies() {
    oldGenerations.insert(policyGeneration)
    policyGeneration += 1
    writePolicies()
  }

  func forgetOldPolicies() {
    for generation in oldGenerations { batch.write(.setting, id: UInt64(generation), nil) }
    oldGenerations = []
  }

  private func writePolicies() { batch.write(.setting, id: UInt64(policyGeneration), rules.budget.encode()) }
}
