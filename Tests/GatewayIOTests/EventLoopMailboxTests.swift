import GatewayIO
import Glibc
import Testing

/// Protects the only way between threads: nothing posted is lost or reordered, and full means no.
@Suite("Mailbox") struct EventLoopMailboxTests {
  @Test("A full mailbox refuses work and still takes what must arrive, in order")
  func bounded() throws {
    let loop = try EventLoop()
    let mailbox = try Mailbox<Int>(capacity: 2)
    let probe = Probe()
    var received: [[Int]] = []
    probe.onBatch = { received.append($0) }
    try loop.attach(mailbox, to: probe)
    #expect(mailbox.post(1))
    #expect(mailbox.post(2))
    #expect(!mailbox.post(3))
    mailbox.postAlways(4)
    mailbox.postAlways(5)
    loop.turn(waitingAtMost: 1000)
    #expect(received == [[1, 2, 4, 5]])
    #expect(mailbox.post(7))
    loop.turn(waitingAtMost: 1000)
    #expect(received.last == [7])
    loop.turn(waitingAtMost: 0)
    #expect(received.count == 2)
  }

  @Test("What a receiver posts to its own mailbox arrives in the next turn")
  func postsToItself() throws {
    let loop = try EventLoop()
    let mailbox = try Mailbox<Int>(capacity: 10)
    let probe = Probe()
    var received: [[Int]] = []
    probe.onBatch = { batch in
      received.append(batch)
      if batch == [1] { mailbox.postAlways(2) }
    }
    try loop.attach(mailbox, to: probe)
    #expect(mailbox.post(1))
    loop.turn(waitingAtMost: 1000)
    #expect(received == [[1]])
    loop.turn(waitingAtMost: 1000)
    #expect(received == [[1], [2]])
  }

  @Test("A batch that the receiver keeps stays what it was")
  func keptBatch() throws {
    let loop = try EventLoop()
    let mailbox = try Mailbox<Int>(capacity: 10)
    let probe = Probe()
    var kept: [[Int]] = []
    probe.onBatch = { kept.append($0) }
    try loop.attach(mailbox, to: probe)
    for value in 0..<5 {
      #expect(mailbox.post(value))
      loop.turn(waitingAtMost: 1000)
    }
    #expect(kept == [[0], [1], [2], [3], [4]])
  }

  @Test("Four threads post twenty thousand messages to a running loop: all arrive, each thread's in order")
  func manyThreads() throws {
    let perThread = 5000
    let mailbox = try Mailbox<Int>(capacity: 1000)
    let report = try Mailbox<Int>(capacity: 1)
    let loopThread = try LoopThread(name: "receiver") {
      guard let loop = try? EventLoop() else { return }
      let probe = Probe()
      var next = [0, 0, 0, 0]
      var inOrder = true
      probe.onBatch = { batch in
        for message in batch {
          let thread = message / perThread
          inOrder = inOrder && message % perThread == next[thread]
          next[thread] += 1
        }
        if next.reduce(0, +) == 4 * perThread {
          _ = report.post(inOrder ? 1 : 0)
          loop.stop()
        }
      }
      guard (try? loop.attach(mailbox, to: probe)) != nil else { return }
      loop.run()
    }
    let senders = try (0..<4).map { thread in
      try LoopThread(name: "sender \(thread)") {
        for number in 0..<perThread {
          // Half through the bounded door, which the receiver empties.
          if number % 2 == 0 {
            mailbox.postAlways(thread * perThread + number)
          } else {
            while !mailbox.post(thread * perThread + number) { sched_yield() }
          }
        }
      }
    }
    senders.forEach { $0.join() }
    loopThread.join()
    let loop = try EventLoop()
    let probe = Probe()
    var outcome: [Int] = []
    probe.onBatch = { outcome = $0 }
    try loop.attach(report, to: probe)
    loop.turn(waitingAtMost: 0)
    #expect(outcome == [1])
  }
}
