import GatewayIO
import Testing

/// Protects the order of timers: heartbeats, low-priority windows and handshake limits all hang on it.
@Suite("Timer queue") struct EventLoopTimerQueueTests {
  @Test("Timers come out by deadline, equal ones in the order of scheduling")
  func order() {
    var queue = TimerQueue<String>()
    _ = queue.schedule("late", at: 30)
    _ = queue.schedule("first of two", at: 20)
    _ = queue.schedule("second of two", at: 20)
    _ = queue.schedule("early", at: 10)
    #expect(queue.nextDeadline == 10)
    let answer1 = drain(&queue, now: 30)
    #expect(answer1 == ["early", "first of two", "second of two", "late"])
    #expect(queue.nextDeadline == nil)
  }

  @Test("A timer does not come out before its deadline")
  func notBefore() {
    var queue = TimerQueue<Int>()
    _ = queue.schedule(1, at: 100)
    let answer2 = queue.popExpired(now: 99)
    #expect(answer2 == nil)
    let answer3 = queue.popExpired(now: 100)
    #expect(answer3 == 1)
    #expect(queue.isEmpty)
  }

  @Test("A cancelled timer never comes out, and its name is dead for whoever uses the slot next")
  func cancel() {
    var queue = TimerQueue<String>()
    let old = queue.schedule("old", at: 1)
    let answer4 = queue.cancel(old)
    #expect(answer4)
    let answer5 = queue.cancel(old)
    #expect(!answer5)
    let new = queue.schedule("new", at: 2)
    let answer6 = queue.cancel(old)
    #expect(!answer6)
    let answer7 = drain(&queue, now: 5)
    #expect(answer7 == ["new"])
    let answer8 = queue.cancel(new)
    #expect(!answer8)
  }

  @Test("A timer scheduled during a round waits for the next one, however early its deadline")
  func rounds() {
    var queue = TimerQueue<String>()
    _ = queue.schedule("first", at: 5)
    let round = queue.nextOrder
    let answer9 = queue.popExpired(now: 10, before: round)
    #expect(answer9 == "first")
    _ = queue.schedule("again", at: 0)
    let answer10 = queue.popExpired(now: 10, before: round)
    #expect(answer10 == nil)
    let answer11 = queue.popExpired(now: 10, before: queue.nextOrder)
    #expect(answer11 == "again")
  }

  @Test(
    "Thousands of random schedules and cancels give what a sorted list gives", arguments: 1...8 as ClosedRange<UInt64>)
  func againstModel(seed: UInt64) {
    var random = FastRandom(seed: seed)
    var queue = TimerQueue<Int>()
    var model: [(deadline: Int64, name: Int, id: TimerID)] = []
    var now: Int64 = 0
    for name in 0..<4000 {
      switch random.next() % 8 {
      case 0, 1:
        if let victim = model.indices.randomElement(using: &random) {
          let answer12 = queue.cancel(model[victim].id)
          #expect(answer12)
          model.remove(at: victim)
        }
      case 2:
        now += Int64(random.next() % 40)
        let due = model.filter { $0.deadline <= now }
          .sorted { $0.deadline != $1.deadline ? $0.deadline < $1.deadline : $0.name < $1.name }
        let answer13 = drain(&queue, now: now)
        #expect(answer13 == due.map(\.name))
        model.removeAll { $0.deadline <= now }
      default:
        let deadline = now + Int64(random.next() % 500)
        model.append((deadline, name, queue.schedule(name, at: deadline)))
      }
      #expect(queue.count == model.count)
      #expect(queue.nextDeadline == model.map(\.deadline).min())
    }
  }

  private func drain<Payload>(_ queue: inout TimerQueue<Payload>, now: Int64) -> [Payload] {
    var out: [Payload] = []
    while let next = queue.popExpired(now: now) { out.append(next) }
    return out
  }
}
