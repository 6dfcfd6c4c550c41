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
    private var devices: [UInt64: DeviceState] = [:]
    /// Each with the journal position that its row holds.
    private var registrations: [UInt64: (state: RegistrationState, asOf: UInt64)] = [:]
    private var inTrail: Set<UInt64> = []
    /// By generation.
    private var storedPolicies: [UInt32: BudgetPolicySet] = [:]

    package init(into ledger: Ledger) { self.ledger = ledger }

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
          guard let (registration, asOf) = registrations[id], asOf < sequence else { continue }
          registration.apply(record)
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
      for id in inTrail { registrations[id]?.state.isTraced = true }
      ledger.trail.forgetOutlived(at: now)
      let oldest = ledger.audit.count - ledger.audit.remembered.count
      for (offset, entry) in ledger.audit.remembered.enumerated() where entry.action == .developerModeOn {
        if case .developerMode(let subject) = entry.subject { ledger.developerMode.note(oldest + offset, for: subject) }
      }
      changeOver(at: now)
    }

    /// Cells are settled under the rules that they were kept under, and then change over to those in force.
    private func changeOver(at now: LedgerTime) {
      guard let newest = storedPolicies.keys.max(), let oldest = storedPolicies.keys.min() else {
        for registration in ledger.registrations { ledger.lookUpPolicies(of: registration, in: ledger.rules.budget) }
        return ledger.writePolicies()
      }
      ledger.policyGeneration = newest
      ledger.oldGenerations = Set(storedPolicies.keys.filter { $0 < newest })
      for registration in ledger.registrations {
        // A generation is forgotten once it makes no difference to any registration that has kept it.
        let generation = storedPolicies[registration.policyGeneration] == nil ? oldest : registration.policyGeneration
        registration.policyGeneration = generation
        ledger.lookUpPolicies(of: registration, in: storedPolicies[generation] ?? ledger.rules.budget)
      }
      if storedPolicies[newest] != ledger.rules.budget { ledger.beginPolicies() }
      guard !ledger.oldGenerations.isEmpty else { return }
      for registration in ledger.registrations { ledger.refreshPolicies(of: registration, at: now) }
      ledger.forgetOldPolicies()
    }

    private mutating func device(_ number: UInt64, _ reader: inout ByteReader) throws(ByteReader.Damage) {
      let device = try DeviceState.decodeRow(number: number, &reader) { ledger.intern($0) }
      guard devices[number] == nil, ledger.devices[device.id] == nil else {
        throw reader.damage("a device that no other row holds")
      }
      devices[number] = device
      ledger.adopt(device)
      ledger.nextDeviceNumber = max(ledger.nextDeviceNumber, number + 1)
    }

    private mutating func registration(
      _ id: UInt64, _ asOf: UInt64, _ reader: inout ByteReader
    ) throws(ByteReader.Damage) {
      let ledger = ledger
      let devices = devices
      let registration = try RegistrationState.decodeRow(
        id: id, &reader, app: { BundleID($0).map { ledger.app($0) } }, device: { devices[$0] })
      let owned = registration.device.registrations
      guard registrations[id] == nil, !owned.contains(where: { $0.app === registration.app }) else {
        throw reader.damage("an app that its device has no other row for")
      }
      guard !registration.isActive || ledger.index.find(registration.token, in: registration.environment) == nil else {
        throw reader.damage("a token that no other row holds")
      }
      registration.widgets = ledger.intern(registration.widgets)
      registrations[id] = (registration, asOf)
      ledger.adopt(registration)
      if registration.isActive { ledger.list(registration) }
      ledger.nextRegistrationID = max(ledger.nextRegistrationID, id + 1)
      for account in registration.accounts { ledger.nextNumber = max(ledger.nextNumber, account.lastNumber + 1) }
    }

    private func note(_ record: LedgerRecord) {
      if case .pushed(let push) = record { ledger.nextNumber = max(ledger.nextNumber, push.content.number + 1) }
    }
  }

  fileprivate func lookUpPolicies(of registration: RegistrationState, in set: BudgetPolicySet) {
    registration.changeAccounts { accounts in
      for position in accounts.indices {
        let widget = registration.widgets[position]
        accounts[position].policy = policyIndex(
          kind: widget.kind, family: widget.family, of: registration, in: set)
      }
    }
    for place in registration.left.indices {
      let left = registration.left[place]
      registration.left[place].policy = policyIndex(kind: left.kind, family: left.family, of: registration, in: set)
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
