import BudgetThrottle
import Testing
import TokenStore

@testable import GatewayCore

/// Protects: an import adds what is new, changes nothing that is there, and does nothing by halves.
@Suite("An import") struct ImportTests {
  private let old = SampleLedger()
  private let new = SampleLedger()

  /// Two devices, of which the first has two apps.
  private func lines() throws -> [RegistrationLine] {
    let first = old.device(1)
    try old.register(SampleLedger.widgets("cups"), on: first, app: "caffeine", fresh: 1)
    try old.register(SampleLedger.widgets("pots", "leaves"), on: first, app: "tea", fresh: 2)
    try old.register(SampleLedger.widgets("cups"), on: old.device(2), app: "caffeine", fresh: 3)
    let pattern = try #require(BundlePattern("com.example.*"))
    return old.ledger.registrations.compactMap { registration in
      var line = RegistrationLine(registration, at: LedgerClockReading(now: old.now, wall: old.wall))
      line?.scope = DeviceScope(
        keyFingerprint: 1, bundleIDs: [pattern], environments: GatewayEnvironment.allCases)
      return line
    }
  }

  private func take(
    _ lines: [RegistrationLine], isDryRun: Bool = false
  ) -> [Result<Ledger.ImportOutcome, ImportRefusal>] {
    lines.map { line in
      Result { () throws(ImportRefusal) in
        try new.ledger.take(line, isDryRun: isDryRun, at: LedgerClockReading(now: new.now, wall: new.wall))
      }
    }
  }

  private func code(_ result: Result<Ledger.ImportOutcome, ImportRefusal>?) -> String {
    switch result {
    case .success(.added): "added"
    case .success(.unchanged): "unchanged"
    case .success(.kept(let why)): why.code
    case .failure(let refusal): refusal.code
    case nil: "none"
    }
  }

  @Test("All that another gateway had is there afterwards, also after a crash, and pushes find it")
  func takesAll() throws {
    let lines = try lines()
    #expect(
      take(lines) == [
        .success(.added(isNewDevice: true)), .success(.added(isNewDevice: false)), .success(.added(isNewDevice: true)),
      ])
    new.commit()
    try new.crash()
    #expect(new.ledger.registrations.count == 3)
    #expect(new.ledger.devices[lines[0].device]?.keyHash == lines[0].keyHash)
    for line in lines {
      let registration = try #require(new.ledger.registration(for: line.token, in: line.environment))
      #expect(registration.widgets == line.widgets)
      #expect(registration.app.bundleID == line.app)
      #expect(new.push(to: registration).tally?.deferred == line.widgets.count)
    }
  }

  @Test("Again it changes nothing, and writes nothing")
  func isIdempotent() throws {
    let lines = try lines()
    _ = take(lines)
    new.commit()
    #expect(take(lines).map(code) == ["unchanged", "unchanged", "unchanged"])
    #expect(new.hasNothingToWrite)
  }

  @Test("A dry run says the same and changes nothing")
  func dryRun() throws {
    let lines = try lines()
    new.commit()
    #expect(take(lines, isDryRun: true).map(code) == ["added", "added", "added"])
    #expect(new.ledger.registrations.count == 0 && new.ledger.devices.count == 0)
    #expect(new.hasNothingToWrite)
  }

  @Test("What a device has changed since stays: widgets, token, key, a removal")
  func keepsNewer() throws {
    let lines = try lines()
    _ = take(lines)
    let device = try #require(new.ledger.devices[lines[0].device])
    try new.register(SampleLedger.widgets("mugs"), on: device, app: "caffeine", token: try SampleLedger.token(99))
    #expect(code(take([lines[0]]).first) == "differs")
    let tea = try #require(new.ledger.registration(of: lines[1].app, on: device))
    new.ledger.remove(tea, at: new.now, wall: new.wall)
    #expect(code(take([lines[1]]).first) == "removed-since")
    new.ledger.rotateKey(of: device, to: [UInt8](repeating: 4, count: 32))
    #expect(take(lines).map(code) == ["other-key", "other-key", "unchanged"])
    #expect(device.keyHash == [UInt8](repeating: 4, count: 32))
    #expect(device.registrations.first?.widgets == SampleLedger.widgets("mugs"))
  }

  @Test("A token that another device has is refused, and its device does not come without it")
  func tokenInUse() throws {
    var lines = try lines()
    lines[2].token = lines[0].token
    #expect(take(lines).map(code) == ["added", "added", "token-in-use"])
    #expect(new.ledger.devices.count == 1)
  }

  @Test("The same id with another platform is another device")
  func otherDevice() throws {
    var lines = try lines()
    _ = take(lines)
    lines[0].platform = .macOS
    #expect(code(take([lines[0]]).first) == "other-device")
  }

  @Test("What a sweep has removed comes back with its tokens")
  func undoesASweep() throws {
    let lines = try lines()
    _ = take(lines)
    new.pass(100 * 86_400_000)
    var sweep = Ledger.StaleSweep(olderThan: 90 * 86_400_000, app: nil, isDryRun: false)
    while new.ledger.advance(&sweep, at: new.now, wall: new.wall) {}
    #expect(new.ledger.devices.count == 0)
    #expect(take(lines).map(code) == ["added", "added", "added"])
    let registration = try #require(new.ledger.registration(for: lines[0].token, in: .development))
    #expect(new.push(to: registration).tally != nil)
  }
}
