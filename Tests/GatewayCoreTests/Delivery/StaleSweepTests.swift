import BudgetThrottle
import Testing
import TokenStore

@testable import GatewayCore

/// Protects: a sweep removes what has been silent for long, and nobody else.
@Suite("A sweep of stale registrations") struct StaleSweepTests {
  private static let day: Int64 = 86_400_000
  private let sample = SampleLedger()

  @discardableResult
  private func sweep(
    days: Int64 = 90, app: String? = nil, isDryRun: Bool = false, limit: Int = 2, removals: Int = 1
  ) throws -> Ledger.StaleSweep {
    var sweep = Ledger.StaleSweep(
      olderThan: days * Self.day, app: try app.map { try SampleLedger.bundleID($0) }, isDryRun: isDryRun)
    while sample.ledger.advance(&sweep, at: sample.now, wall: sample.wall, limit: limit, removals: removals) {}
    return sweep
  }

  /// Each with two apps.
  private func devices(_ count: UInt8) throws -> [DeviceState] {
    try (1...count).map { number in
      let device = sample.device(UInt64(number))
      try sample.register(SampleLedger.widgets("cups"), on: device, app: "caffeine", fresh: number)
      try sample.register(SampleLedger.widgets("pots"), on: device, app: "tea", fresh: 100 + number)
      return device
    }
  }

  private func has410(_ token: UInt8) throws -> Bool {
    let verdict = sample.ledger.accept(
      IncomingPush(id: SampleLedger.pushID(UInt64(token)), storage: .once), for: try SampleLedger.token(token),
      in: .development, bundleID: try SampleLedger.bundleID(token > 100 ? "tea" : "caffeine"), at: sample.now)
    if case .denied(.unregistered) = verdict { return true }
    return false
  }

  @Test("Devices that were silent for longer leave, their tokens answer 410, and the others stay")
  func removesTheSilent() throws {
    let devices = try devices(5)
    sample.pass(60 * Self.day)
    sample.ledger.noteContact(with: devices[1], at: sample.now)
    sample.attach(devices[3])
    sample.pass(40 * Self.day)
    let done = try sweep()
    #expect((done.met, done.registrations, done.devices) == (10, 6, 3))
    #expect(Set(sample.ledger.devices.map(\.id)) == [devices[1].id, devices[3].id])
    for token: UInt8 in [1, 101, 3, 103, 5, 105] { #expect(try has410(token)) }
    for token: UInt8 in [2, 102, 4, 104] { #expect(try !has410(token)) }
    sample.commit()
    try sample.crash()
    #expect(sample.ledger.devices.count == 2 && sample.ledger.registrations.count == 4)
  }

  @Test("With an app only that is removed, and the devices stay")
  func oneApp() throws {
    _ = try devices(3)
    sample.pass(92 * Self.day)
    let done = try sweep(app: "tea")
    #expect((done.met, done.registrations, done.devices) == (3, 3, 0))
    #expect(sample.ledger.devices.count == 3)
    #expect(try has410(101))
    #expect(try !has410(1))
  }

  @Test("A dry run counts the same and removes nothing")
  func dryRun() throws {
    _ = try devices(4)
    sample.pass(92 * Self.day)
    sample.commit()
    let dry = try sweep(isDryRun: true)
    #expect(sample.hasNothingToWrite)
    let real = try sweep()
    #expect((dry.met, dry.registrations, dry.devices) == (real.met, real.registrations, real.devices))
    #expect(real.devices == 4)
  }

  @Test("A device is stale up to a day late and never early", arguments: [(89, false), (90, false), (91, true)])
  func boundary(days: Int64, isStale: Bool) throws {
    let device = try #require(try devices(1).first)
    sample.pass(days * Self.day)
    #expect(sample.ledger.isStale(device, olderThan: 90 * Self.day, at: sample.now) == isStale)
  }

  @Test("A contact is written once a day, and outlives a crash")
  func contact() throws {
    let device = try #require(try devices(1).first)
    sample.commit()
    sample.pass(Self.day - 3_600_000)
    sample.ledger.noteContact(with: device, at: sample.now)
    #expect(sample.hasNothingToWrite)
    sample.pass(2 * 3_600_000)
    sample.ledger.noteContact(with: device, at: sample.now)
    #expect(!sample.hasNothingToWrite)
    sample.commit()
    let seen = try #require(device.lastSeen)
    try sample.crash()
    #expect(sample.ledger.devices[device.id]?.lastSeen == seen)
  }

  @Test("A stream that stands for weeks is contact, also where the process then ends at once")
  func standing() throws {
    let device = try #require(try devices(1).first)
    sample.attach(device)
    for _ in 0..<30 {
      sample.pass(Self.day)
      sample.ledger.tidy(at: sample.now, wall: sample.wall)
      while sample.ledger.tidyMore(at: sample.now) {}
    }
    sample.commit()
    try sample.crash()
    let restored = try #require(sample.ledger.devices[device.id])
    #expect(!sample.ledger.isStale(restored, olderThan: 2 * Self.day, at: sample.now))
  }

  @Test("A row of the version before, which knew no contact, is read; its device counts as seen from then on")
  func firstVersion() throws {
    let device = try #require(try devices(1).first)
    let writer = ByteWriter()
    device.encodeRow(into: writer)
    var bytes = writer.bytes
    bytes[0] = 1
    bytes.removeLast(bytes.count - Self.lengthWithoutContact(bytes))
    let read = try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      let read = try DeviceState.decodeRow(number: 1, &reader, sharing: SharedValues()) { $0 }
      try reader.end()
      return read
    }
    #expect(read.lastSeen == nil)
    #expect(!sample.ledger.isStale(read, olderThan: Self.day, at: .distantFuture))
    sample.ledger.noteStanding(of: read, at: sample.now)
    #expect(read.lastSeen != nil)
  }

  /// Where the first version's row ended: version, id, key hash, platform, os, scope.
  private static func lengthWithoutContact(_ bytes: [UInt8]) -> Int {
    let writer = ByteWriter()
    writer.optional(Int64?.none) { $0.signed($1) }
    let absent = writer.bytes.count
    writer.removeAll()
    writer.optional(Int64?.some(1_772_000_000_000 / 3_600_000 * 3_600_000)) { $0.signed($1) }
    return bytes.count - max(absent, writer.bytes.count)
  }
}
