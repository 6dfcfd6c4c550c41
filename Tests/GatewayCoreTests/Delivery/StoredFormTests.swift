import BudgetThrottle
@testable import GatewayCore
import SeededRandom
import Testing
import TokenStore

/// Protects that records and rows read back as they were written: what is stored is what was decided.
@Suite("Records and rows") struct StoredFormTests {
  static func anyRecord(_ random: inout SeededGenerator) -> LedgerRecord {
    let time = LedgerTime(
      milliseconds: [0, -1, .min, .max, Int64.random(in: 0...2_000_000_000_000, using: &random)]
        .randomElement(using: &random) ?? 0)
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      return .pushed(
        LedgerRecord.PushRecord(
          content: PushContent(
            number: random.next() >> 1,
            id: PushID(CanonicalUUID(high: random.next(), low: random.next(), isUpperCase: random.oneIn(2))),
            payload: random.oneIn(2) ? nil : [UInt8](repeating: 0x7B, count: Int.random(in: 0...4096, using: &random))),
          marked: WidgetSet(bits: random.next()), dropped: WidgetSet(bits: random.next()), expires: time,
          priority: RefreshPriority.allCases.randomElement(using: &random) ?? .immediate, at: time))
    case 1:
      let widgets = WidgetSet(bits: random.next())
      let charged = WidgetSet(bits: widgets.bits & random.next())
      return .handedOver(
        LedgerRecord.HandOverRecord(
          epoch: random.next(), sequence: random.next(), widgets: widgets, charged: charged,
          levels: charged.map { _ in Int64.random(in: 0...BudgetRate.highestCapacity, using: &random) }, at: time))
    case 2: return .received(epoch: random.next(), sequence: random.next())
    default: return .cleared(marks: WidgetSet(bits: random.next()), inFlight: WidgetSet(bits: random.next()))
    }
  }

  /// Reads all of `bytes` as one value.
  private static func read<Value>(
    _ bytes: [UInt8], _ decode: (inout ByteReader) throws(ByteReader.Damage) -> Value
  ) throws -> Value {
    try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      let value = try decode(&reader)
      try reader.end()
      return value
    }
  }

  @Test("Every record comes back as it was, with its registration", arguments: Seeds.usual(100))
  func records(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let records = (0..<8).map { _ in (random.next() >> 1, Self.anyRecord(&random)) }
    let writer = ByteWriter()
    for (id, record) in records { record.encode(for: id, into: writer) }
    try writer.bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      for (id, record) in records {
        let (readID, read) = try LedgerRecord.decode(&reader)
        #expect(readID == id)
        #expect(read == record)
        if case .pushed(let was) = record, case .pushed(let now) = read {
          #expect(now.content.id.uuid.isUpperCase == was.content.id.uuid.isUpperCase, "the client's spelling")
        }
      }
      try reader.end()
    }
  }

  @Test("A policy set comes back with every override and everything that it leaves open")
  func policies() throws {
    var full = BudgetPolicySet.Override(bundleID: "com.example.a", kind: "k", family: "systemSmall", platform: "iOS")
    full.mode = .shadow
    full.refreshesPerDay = 70
    full.burst = 3
    full.minimumInterval = 300_000
    let set = BudgetPolicySet(
      standard: BudgetPolicy(mode: .off, refreshesPerDay: 1_000_000, burst: 9, minimumInterval: 1),
      overBudget: .reject, overrides: [full, BudgetPolicySet.Override(kind: "täglich")])
    let read = try Self.read(set.encode(), BudgetPolicySet.decode)
    #expect(read == set)
  }

  @Test("Audit entries, grants and retired tokens come back", arguments: [nil, 0, UInt32.max] as [UInt32?])
  func rareRows(uid: UInt32?) throws {
    let app = try SampleLedger.bundleID()
    let device = DeviceID(CanonicalUUID(high: .max, low: 1))
    let subjects: [AuditEntry.Subject] = [
      .developerMode(.app(app)), .developerMode(.device(device)), .budgets(app, device),
      .registrations(nil), .registrations(app),
    ]
    for (action, subject) in AuditEntry.Action.allCases.flatMap({ action in subjects.map { (action, $0) } }) {
      for granter in [DeveloperMode.Grant.Granter.deviceSwitch, .operatorRequest(uid: uid)] {
        let entry = AuditEntry(
          at: UnixTime(milliseconds: -5), action: action, subject: subject, who: "Ann ☕️", why: "", by: granter,
          until: uid == nil ? nil : UnixTime(milliseconds: .max))
        let read = try Self.read(entry.encode(), AuditEntry.decode)
        #expect(read == entry)
      }
    }
    for subject in [DeveloperModeSubject.app(app), .device(device)] {
      for granter in [DeveloperMode.Grant.Granter.deviceSwitch, .operatorRequest(uid: uid)] {
        let grant = DeveloperMode.Grant(
          subject: subject, since: .distantPast, until: .distantFuture, who: "ann", why: "tries", granter: granter)
        let read = try Self.read(grant.encode(), DeveloperMode.Grant.decode)
        #expect(read == grant)
      }
    }
    for environment in GatewayEnvironment.allCases {
      let token = RetiredToken(
        token: try SampleLedger.token(3, count: 100), environment: environment, bundleID: app, owner: device,
        retiredAt: UnixTime(milliseconds: 7), forgottenAt: .distantFuture)
      let read = try Self.read(token.encode(), RetiredToken.decode)
      #expect(read == token)
    }
  }

  @Test(
    "Audit entries of the first version, whose subject was a sentence, are read as they were meant",
    arguments: [
      ("app com.example.caffeine", "ann", AuditEntry.Subject.developerMode(.app(try SampleLedger.bundleID())), false),
      ("device \(deviceID)", "device \(deviceID)", .developerMode(.device(deviceID)), true),
      (
        "com.example.caffeine on device \(deviceID)", "devices ltd",
        .budgets(try SampleLedger.bundleID(), deviceID), false
      ),
    ])
  func firstAudit(text: String, who: String, subject: AuditEntry.Subject, isSwitch: Bool) throws {
    let writer = ByteWriter()
    writer.byte(1)
    writer.signed(7)
    writer.byte(AuditEntry.Action.developerModeOff.rawValue)
    writer.text(text)
    writer.text(who)
    writer.text("why")
    writer.optional(isSwitch ? nil : 1000) { $0.number($1) }
    writer.optional(9) { $0.signed($1) }
    let read = try Self.read(writer.bytes, AuditEntry.decode)
    #expect(
      read
        == AuditEntry(
          at: UnixTime(milliseconds: 7), action: .developerModeOff, subject: subject, who: who, why: "why",
          by: isSwitch ? .deviceSwitch : .operatorRequest(uid: 1000), until: UnixTime(milliseconds: 9)))
  }

  private static let deviceID = DeviceID(CanonicalUUID(high: 1, low: 2))

  @Test("A registration's row holds widgets, marks, hand-overs, left budgets, pushes and accepted ids")
  func registrationRow() throws {
    let sample = SampleLedger()
    let registration = try Self.busyRegistration(in: sample)
    sample.commit()
    let row = SampleLedger.row(registration)
    let device = registration.device
    try sample.crash()
    let read = try sample.onlyRegistration()
    #expect(SampleLedger.row(read) == row)
    #expect(read.widgets == registration.widgets)
    #expect(read.states == registration.states)
    #expect(read.left == registration.left)
    #expect(read.contents == registration.contents)
    #expect(read.recent == registration.recent)
    #expect(read.token == registration.token)
    #expect(read.isActive)
    #expect(sample.ledger.devices[device.id]?.keyHash == [UInt8](repeating: 9, count: 32))
  }

  /// One registration that holds something of everything.
  static func busyRegistration(in sample: SampleLedger) throws -> RegistrationState {
    let device = sample.device()
    let widgets =
      SampleLedger.widgets("cup", "cup", "pot")
      + [Widget(kind: "bean", family: .systemLarge, configuration: "decaf")]
    let registration = try sample.register(widgets, on: device, token: try SampleLedger.token(7, count: 100))
    let session = sample.attach(device)
    sample.push(to: registration)
    sample.ledger.outputEmptied(session, of: device, at: sample.now)
    sample.push(to: registration, payload: Array(#"{"aps":{"content-changed":true},"n":1}"#.utf8))
    try sample.register(Array(widgets.dropFirst()), on: device)
    sample.push(to: registration, .until(sample.now.advanced(byMilliseconds: 60_000)), priority: .grouped)
    #expect(registration.left.count == 1)
    #expect(registration.waitingCount == 3)
    return registration
  }
}
