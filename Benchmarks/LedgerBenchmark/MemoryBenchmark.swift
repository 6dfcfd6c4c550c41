import BudgetThrottle
import CLinux
import GatewayCore
import Glibc
import TokenStore

/// A ledger of many devices with one registration and two widgets each, without sockets and without a store.
final class MemoryBenchmark {
  private let count: Int
  private let ledger: Ledger
  private var now = LedgerTime(milliseconds: 1_772_000_000_000)
  private var wall: UnixTime { UnixTime(milliseconds: now.milliseconds) }
  private var tokens: [DeviceToken] = []
  private var pushes: UInt64 = 0
  private let bundleID: BundleID
  private let widgets = [
    Widget(kind: "caffeine", family: .systemSmall), Widget(kind: "caffeine", family: .systemMedium),
  ]

  init(_ count: Int) {
    self.count = count
    guard let bundleID = BundleID("com.example.caffeine") else { preconditionFailure("A bundle ID that is one.") }
    self.bundleID = bundleID
    ledger = Ledger(rules: LedgerRules(pushesPerTokenPerMinute: 0), epoch: 1, decisionCapacity: 0)
    tokens.reserveCapacity(count)
  }

  func register() {
    let scope = DeviceScope(keyFingerprint: 1, bundleIDs: [], environments: GatewayEnvironment.allCases)
    for number in 0..<UInt64(count) {
      var bytes = [UInt8](repeating: 0, count: 32)
      withUnsafeBytes(of: number.bigEndian) { for (place, byte) in $0.enumerated() { bytes[place] = byte } }
      if let token = DeviceToken(bytes: bytes) { tokens.append(token) }
    }
    let before = Memory.now()
    let nanoseconds = Stopwatch.nanoseconds(each: count) {
      let number = UInt64(ledger.registrations.count)
      let device = ledger.enrol(
        id: DeviceID(CanonicalUUID(high: number &* 0x9E37_79B9_7F4A_7C15, low: number)),
        keyHash: [UInt8](repeating: 1, count: 32), platform: .iOS, os: "26.1", scope: scope, at: now)
      let change = Ledger.RegistrationChange(
        bundleID: bundleID, environment: .development, token: tokens[Int(number)], freshToken: tokens[Int(number)],
        widgets: widgets)
      _ = try? ledger.register(change, for: device, at: now, wall: wall)
      if number % 1024 == 1023 { commit() }
    }
    commit()
    print("registering: \(nanoseconds.rounded1) ns each")
    Memory.now().tell("registered, nothing marked", since: before, of: count)
    base = before
  }

  private var base = Memory()

  /// One push to each while nobody is connected: two marks and one push remembered.
  func push() {
    for round in 1...2 {
      let stride = 7919
      var place = 0
      let nanoseconds = Stopwatch.nanoseconds(each: count) {
        place = (place + stride) % count
        pushes += 1
        let push = IncomingPush(
          id: PushID(CanonicalUUID(high: 5, low: pushes)), storage: .until(.distantFuture))
        _ = ledger.accept(push, for: tokens[place], in: .development, bundleID: bundleID, at: now)
        if pushes % 64 == 0 { commit() }
      }
      print("push \(round) to everybody, nobody connected: \(nanoseconds.rounded1) ns each, batches without a store")
    }
    commit()
    Memory.now().tell("each widget marked", since: base, of: count)
  }

  /// Everybody connects with an empty budget and waits for it; then it comes back for all of them at once.
  func wake() {
    var session: UInt64 = 0
    for registration in ledger.registrations {
      session += 1
      ledger.attach(registration.device, as: SessionID(rawValue: session), last: nil, at: now)
      if session % 1024 == 0 { commit() }
    }
    for round in 0..<4 {
      var place: UInt64 = 0
      for registration in ledger.registrations {
        place += 1
        ledger.outputEmptied(SessionID(rawValue: place), of: registration.device, at: now)
        pushes += 1
        let push = IncomingPush(id: PushID(CanonicalUUID(high: 5, low: pushes)), storage: .until(.distantFuture))
        _ = ledger.accept(push, for: registration.token, in: .development, bundleID: bundleID, at: now)
        if place % 1024 == 0 { commit() }
      }
      now = now.advanced(byMilliseconds: Int64(round))
    }
    var place: UInt64 = 0
    for registration in ledger.registrations {
      place += 1
      ledger.outputEmptied(SessionID(rawValue: place), of: registration.device, at: now)
    }
    commit()
    let waiting = ledger.deadlines.count
    guard let due = ledger.nextWake else { return print("nobody waits") }
    let idle = Stopwatch.nanoseconds(each: 1_000_000) {
      _ = ledger.wake(at: due.advanced(byMilliseconds: -1))
    }
    let before = ledger.counters.handOvers[0]
    now = due.advanced(byMilliseconds: 10)
    let start = Stopwatch.cpu()
    var (slices, longest) = (0, Int64(0))
    var isMore = true
    while isMore {
      let slice = Stopwatch.cpu()
      isMore = ledger.wake(at: now)
      longest = max(longest, Stopwatch.cpu() - slice)
      slices += 1
      commit()
    }
    let seconds = Double(Stopwatch.cpu() - start) / 1e9
    print(
      "\(waiting) registrations wait for their budget: a turn before it returns costs \(idle.rounded1) ns; then "
        + "\(ledger.counters.handOvers[0] - before) widgets are handed over in \((seconds * 100).rounded() / 100) s, "
        + "\(slices) slices, the longest \((Double(longest) / 1e6).rounded1) ms")
  }

  private func commit() {
    var deliveries: [Delivery] = []
    ledger.moveDeliveries(to: &deliveries)
    _ = ledger.takeBatch(
      clock: StoredClock(ledger: now.milliseconds, boot: 0, wall: now.milliseconds, bootID: ""))
  }
}

/// What a process takes.
struct Memory {
  /// The most that ever was resident, bytes.
  static var peak: Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss * 1024
  }

  var resident = 0
  var heap = 0

  static func now() -> Memory {
    linux_trim_heap()
    var memory = Memory(heap: Int(linux_heap_bytes()))
    guard let file = fopen("/proc/self/statm", "r") else { return memory }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, 128, file) != nil else { return memory }
    let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
      separator: " ")
    if fields.count > 1, let pages = Int(fields[1]) { memory.resident = pages * 4096 }
    return memory
  }

  func tell(_ what: String, since before: Memory, of count: Int) {
    print(
      "\(what): \((resident - before.resident) / count) bytes resident, \((heap - before.heap) / count) bytes of heap "
        + "a registration with two widgets and its device")
  }
}
