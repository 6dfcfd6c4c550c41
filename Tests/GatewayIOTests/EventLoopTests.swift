import GatewayIO
import Glibc
import Testing

/// Protects what every connection is built on: whose event arrives where, and what a removal means.
@Suite("Event loop") struct EventLoopTests {
  @Test("A readable descriptor calls its handler, in every turn until it is read")
  func levelTriggered() throws {
    let loop = try EventLoop()
    let pair = try FileDescriptor.pair()
    let probe = Probe()
    var calls: [Readiness] = []
    probe.onReady = { calls.append($0) }
    _ = try loop.register(pair.first.raw, for: .readable, handler: probe)
    loop.turn(waitingAtMost: 0)
    #expect(calls.isEmpty)
    send("x", over: pair.second)
    loop.turn(waitingAtMost: 1000)
    loop.turn(waitingAtMost: 0)
    #expect(calls == [.readable, .readable])
    #expect(receive(from: pair.first) == "x")
    loop.turn(waitingAtMost: 0)
    #expect(calls.count == 2)
  }

  @Test("Interest can be changed to writable and to nothing")
  func modify() throws {
    let loop = try EventLoop()
    let pair = try FileDescriptor.pair()
    let probe = Probe()
    var calls: [Readiness] = []
    probe.onReady = { calls.append($0) }
    let registration = try loop.register(pair.first.raw, for: .readable, handler: probe)
    try loop.modify(registration, to: [.readable, .writable])
    loop.turn(waitingAtMost: 0)
    #expect(calls == [.writable])
    send("x", over: pair.second)
    try loop.modify(registration, to: [])
    loop.turn(waitingAtMost: 0)
    #expect(calls.count == 1)
  }

  @Test("The end of the peer is a hangup, even for who asks for nothing")
  func hangup() throws {
    let loop = try EventLoop()
    let (mine, theirs) = try FileDescriptor.pair().released()
    let probe = Probe()
    var calls: [Readiness] = []
    probe.onReady = { calls.append($0) }
    _ = try loop.register(mine, for: [], handler: probe)
    close(theirs)
    loop.turn(waitingAtMost: 1000)
    #expect(calls == [[.readable, .hangup]])
    close(mine)
  }

  @Test(
    "An event of a handler that an earlier one of the same turn has removed is dropped, and a new one in its slot is not called for it"
  )
  func staleEvents() throws {
    let loop = try EventLoop()
    let one = try FileDescriptor.pair()
    let two = try FileDescriptor.pair()
    let three = try FileDescriptor.pair()
    let first = Probe()
    let second = Probe()
    let replacement = Probe()
    var calls: [String] = []
    var firstRegistration: Registration?
    var secondRegistration: Registration?
    // Whichever is called first removes the other and puts a third one into the slot.
    func replace(_ victim: Registration?) {
      guard let victim, calls.count == 1 else { return }
      loop.remove(victim)
      _ = try? loop.register(three.first.raw, for: .readable, handler: replacement)
    }
    first.onReady = { _ in
      calls.append("first")
      replace(secondRegistration)
    }
    second.onReady = { _ in
      calls.append("second")
      replace(firstRegistration)
    }
    replacement.onReady = { _ in calls.append("replacement") }
    firstRegistration = try loop.register(one.first.raw, for: .readable, handler: first)
    secondRegistration = try loop.register(two.first.raw, for: .readable, handler: second)
    send("x", over: one.second)
    send("x", over: two.second)
    loop.turn(waitingAtMost: 1000)
    #expect(calls == ["first"] || calls == ["second"])
    #expect(loop.registrationCount == 2)
    send("x", over: three.second)
    loop.turn(waitingAtMost: 1000)
    #expect(calls.contains("replacement"))
  }

  @Test("A handler that removes itself lives until its call returns, and then goes")
  func removesItself() throws {
    let loop = try EventLoop()
    let pair = try FileDescriptor.pair()
    weak var watched: Probe?
    var aliveInside = false
    do {
      let probe = Probe()
      watched = probe
      let registration = try loop.register(pair.first.raw, for: .readable, handler: probe)
      probe.onReady = { _ in
        loop.remove(registration)
        loop.remove(registration)
        aliveInside = watched != nil
      }
    }
    #expect(watched != nil)
    send("x", over: pair.second)
    loop.turn(waitingAtMost: 1000)
    #expect(aliveInside)
    #expect(watched == nil)
    #expect(loop.registrationCount == 0)
  }

  @Test("A removed registration does nothing to its successor in the slot")
  func lateRemove() throws {
    let loop = try EventLoop()
    let pair = try FileDescriptor.pair()
    let old = try loop.register(pair.first.raw, for: .readable, handler: Probe())
    loop.remove(old)
    let probe = Probe()
    var calls = 0
    probe.onReady = { _ in calls += 1 }
    let new = try loop.register(pair.first.raw, for: .readable, handler: probe)
    #expect(old != new)
    loop.remove(old)
    try loop.modify(old, to: [])
    send("x", over: pair.second)
    loop.turn(waitingAtMost: 1000)
    #expect(calls == 1)
  }

  @Test("A descriptor that cannot be watched is an error and leaves nothing behind")
  func badDescriptor() throws {
    let loop = try EventLoop()
    #expect(throws: SystemCallError(call: "epoll_ctl", code: EBADF)) {
      try loop.register(-1, for: .readable, handler: Probe())
    }
    #expect(loop.registrationCount == 0)
  }

  @Test("Sockets come before mailboxes, mailboxes before timers, and the end of the turn last")
  func orderOfTurn() throws {
    let loop = try EventLoop()
    let pair = try FileDescriptor.pair()
    let mailbox = try Mailbox<Int>(capacity: 10)
    let probe = Probe()
    var calls: [String] = []
    probe.onReady = { _ in calls.append("socket") }
    probe.onBatch = { calls.append("mailbox \($0)") }
    probe.onTimer = { calls.append("timer \($0)") }
    probe.onTurn = { calls.append("end") }
    try loop.attach(mailbox, to: probe)
    _ = try loop.register(pair.first.raw, for: .readable, handler: probe)
    loop.turnObserver = probe
    loop.schedule(after: 0, probe, token: 7)
    #expect(mailbox.post(1))
    #expect(mailbox.post(2))
    send("x", over: pair.second)
    loop.turn(waitingAtMost: 1000)
    #expect(calls == ["socket", "mailbox [1, 2]", "timer 7", "end"])
  }

  @Test("A turn after one that held something back waits for nothing, and says when nothing more had come")
  func heldBack() throws {
    let loop = try EventLoop()
    let pair = try FileDescriptor.pair()
    let probe = Probe()
    var turns: [String] = []
    probe.onReady = { _ in _ = receive(from: pair.first) }
    probe.onHold = { isQuiet in
      turns.append(isQuiet ? "quiet" : "busy")
      return !isQuiet
    }
    _ = try loop.register(pair.first.raw, for: .readable, handler: probe)
    loop.turnObserver = probe
    send("x", over: pair.second)
    loop.turn(waitingAtMost: 1000)
    send("y", over: pair.second)
    loop.turn(waitingAtMost: 1000)
    let before = LoopClock.readBootNanoseconds()
    loop.turn(waitingAtMost: 20_000)
    #expect(turns == ["busy", "busy", "quiet"])
    #expect(LoopClock.readBootNanoseconds() - before < 20_000_000_000)
  }

  @Test("A timer never fires before its deadline, and a turn wakes for it by itself")
  func timers() throws {
    let loop = try EventLoop()
    let probe = Probe()
    var fired: [Int64] = []
    probe.onTimer = { _ in fired.append(loop.now.bootMilliseconds) }
    let start = loop.now.bootMilliseconds
    loop.schedule(at: start + 20, probe)
    turn(loop) { !fired.isEmpty }
    let at = try #require(fired.first)
    #expect(at >= start + 20)
    #expect(loop.timerCount == 0)
  }

  @Test("A cancelled timer does not fire, and one that reschedules itself for now lets the turn end")
  func timersAgain() throws {
    let loop = try EventLoop()
    let probe = Probe()
    var fired: [UInt64] = []
    probe.onTimer = { token in
      fired.append(token)
      if fired.count < 3 { loop.schedule(after: 0, probe, token: token + 1) }
    }
    let cancelled = loop.schedule(after: 0, probe, token: 100)
    loop.schedule(after: 0, probe, token: 1)
    loop.cancel(cancelled)
    loop.turn(waitingAtMost: 0)
    #expect(fired == [1])
    loop.turn(waitingAtMost: 5000)
    loop.turn(waitingAtMost: 5000)
    #expect(fired == [1, 2, 3])
  }

  @Test("A delay beyond all time is never, and no trap")
  func farTimer() throws {
    let loop = try EventLoop()
    loop.schedule(after: .max, Probe())
    loop.turn(waitingAtMost: 0)
    #expect(loop.timerCount == 1)
  }

  @Test("Both clocks move on between turns, and the wall clock is the system's")
  func clocks() throws {
    let loop = try EventLoop()
    let before = loop.now
    loop.turn(waitingAtMost: 2)
    #expect(loop.now.bootNanoseconds > before.bootNanoseconds)
    #expect(abs(loop.now.wallMilliseconds / 1000 - Int64(time(nil))) <= 1)
  }

  @Test("After run everything registered is let go, knots included")
  func releasesEverything() throws {
    weak var watched: Probe?
    do {
      let loop = try EventLoop()
      let pair = try FileDescriptor.pair()
      let probe = Probe()
      watched = probe
      _ = try loop.register(pair.first.raw, for: .readable, handler: probe)
      try loop.attach(try Mailbox<Int>(capacity: 1), to: probe)
      loop.schedule(after: 100_000, probe)
      loop.schedule(after: 0, probe)
      loop.turnObserver = probe
      probe.onTurn = { loop.stop() }
      loop.run()
      #expect(loop.registrationCount == 0)
    }
    #expect(watched == nil)
  }
}
