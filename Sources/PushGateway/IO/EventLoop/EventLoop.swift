import CLinux

/// One thread's world: the sockets, mailboxes and timers of one loop, served turn by turn.
///
/// A turn:
/// 1. **wait** until a descriptor is ready, a mailbox rings or a timer is due; not at all if the last turn held something
///    back;
/// 2. **clock**: read once; ``now`` is the time of everything that happens in this turn;
/// 3. **sockets**: each ready handler is called once. Level-triggered: what a handler leaves unread is reported again, so
///    it may stop early for fairness. (Bytes that OpenSSL has already read are not the kernel's to report: see
///    ``Transport/hasPending``);
/// 4. **mailboxes**: each that rang is drained as one batch. After the sockets, so that a completion that closes a
///    connection cannot meet that connection's event;
/// 5. **timers** whose deadline has come. A timer scheduled here for "now" fires in the next turn, which then does not
///    wait; that is also how long work is cut into slices;
/// 6. **end of turn**: ``turnObserver`` sends batches, or holds one back for what the next turn brings, and flushes
///    outputs.
///
/// Nothing here is Sendable. The loop is made, run and destroyed on one thread, usually inside a ``LoopThread``, and so
/// is every object registered in it; other threads know only its mailboxes. The loop holds the strong reference to each
/// handler until it is removed. Inside any callback everything may be registered, modified, removed, scheduled and
/// cancelled: events of a removed registration that are still in the turn's list are dropped by their serial number.
///
/// One connection is one object: an ``EventHandler`` that owns a ``Transport`` and an HTTP/2 session, registers for
/// `.readable` when it is accepted, for `.writable` also only while output is stuck, and on its end calls ``remove(_:)``,
/// cancels its timers and closes its transport, in this order.
package final class EventLoop {
  private struct Slot {
    var serial: UInt32 = 0
    var descriptor: Int32 = -1
    var interest: Readiness = []
    var handler: (any EventHandler)?
  }

  private struct Timer {
    let handler: any TimerHandler
    let token: UInt64
  }

  /// epoll's timeouts do not count a suspend, boot time does: waking at least this often keeps a deadline that passed
  /// while the machine slept from being late for longer.
  private static let longestWait: Int64 = 10_000

  private let selector: Selector
  private var slots: [Slot] = []
  private var freeSlots: [UInt32] = []
  private var timers = TimerQueue<Timer>()
  private var rung: [any MailboxDraining] = []
  private var isStopping = false

  /// The time of this turn.
  package private(set) var now: LoopClock
  /// Called at the end of every turn.
  package var turnObserver: (any TurnObserver)?
  /// The observer waits for what is there already, and for nothing else.
  private var isHolding = false

  /// Blocks SIGPIPE for the calling thread, which is the loop's thread from here on.
  package init() throws(SystemCallError) {
    linux_block_sigpipe()
    selector = try Selector()
    now = LoopClock.read()
  }

  // MARK: Descriptors

  /// Descriptors that are registered now, mailboxes included.
  package var registrationCount: Int { slots.count - freeSlots.count }

  /// Starts to watch a descriptor, which stays its owner's. `exclusive`: one of the loops that watch the same listening
  /// socket is woken instead of all; such a registration cannot be modified.
  package func register(
    _ descriptor: Int32, for interest: Readiness, exclusive: Bool = false, handler: any EventHandler
  ) throws(SystemCallError) -> Registration {
    let slot = freeSlots.last ?? UInt32(slots.count)
    if Int(slot) == slots.count { slots.append(Slot()) } else { freeSlots.removeLast() }
    let registration = Registration(slot: slot, serial: slots[Int(slot)].serial)
    do {
      try selector.add(descriptor, interest: interest, exclusive: exclusive, registration: registration)
    } catch {
      freeSlots.append(slot)
      throw error
    }
    slots[Int(slot)].descriptor = descriptor
    slots[Int(slot)].interest = interest
    slots[Int(slot)].handler = handler
    return registration
  }

  /// Changes what a handler hears about. An unchanged interest costs no system call; a removed registration is ignored.
  package func modify(_ registration: Registration, to interest: Readiness) throws(SystemCallError) {
    guard isCurrent(registration), slots[Int(registration.slot)].interest != interest else { return }
    try selector.modify(slots[Int(registration.slot)].descriptor, interest: interest, registration: registration)
    slots[Int(registration.slot)].interest = interest
  }

  /// Stops watching and lets the handler go. Call it before the descriptor is closed. A second call finds nothing.
  package func remove(_ registration: Registration) {
    guard isCurrent(registration) else { return }
    let index = Int(registration.slot)
    selector.remove(slots[index].descriptor)
    slots[index].serial &+= 1
    slots[index].descriptor = -1
    freeSlots.append(registration.slot)
    // Last, and out of the table first: letting go may run a deinit that calls the loop again.
    let handler = slots[index].handler.take()
    _ = consume handler
  }

  private func isCurrent(_ registration: Registration) -> Bool {
    let index = Int(registration.slot)
    return index < slots.count && slots[index].serial == registration.serial && slots[index].handler != nil
  }

  // MARK: Timers

  /// Calls `handler` once in the first turn whose boot time is at or after `deadline` (milliseconds since boot). Holds the
  /// handler until then or until it is cancelled.
  @discardableResult
  package func schedule(at deadline: Int64, _ handler: any TimerHandler, token: UInt64 = 0) -> TimerID {
    timers.schedule(Timer(handler: handler, token: token), at: deadline)
  }

  /// As ``schedule(at:_:token:)``, counted from this turn's time. 0: in the next turn, which will not wait.
  @discardableResult
  package func schedule(after milliseconds: Int64, _ handler: any TimerHandler, token: UInt64 = 0) -> TimerID {
    let (deadline, overflow) = now.bootMilliseconds.addingReportingOverflow(milliseconds)
    return schedule(at: overflow ? .max : deadline, handler, token: token)
  }

  /// A timer that has fired or was cancelled is ignored.
  package func cancel(_ timer: TimerID) { timers.cancel(timer) }

  /// Timers that wait now.
  package var timerCount: Int { timers.count }

  // MARK: Mailboxes

  /// Makes `handler` the receiver of a mailbox. One mailbox has one receiver.
  @discardableResult
  package func attach<Message>(
    _ mailbox: Mailbox<Message>, to handler: any MailboxHandler<Message>
  ) throws(SystemCallError) -> Registration {
    try register(
      mailbox.bellDescriptor, for: .readable, handler: MailboxPort(mailbox: mailbox, handler: handler, loop: self))
  }

  func mailboxRang(_ port: any MailboxDraining) { rung.append(port) }

  // MARK: Turns

  /// Turns until ``stop()``, then lets go of everything registered, which ends the loop's life.
  package func run() {
    while !isStopping { turn(waitingAtMost: Self.longestWait) }
    releaseEverything()
  }

  /// Ends ``run()`` when the current turn is complete, its end included. From another thread: post a message.
  package func stop() { isStopping = true }

  /// One turn; waits for at most `milliseconds`. For tests, and for programs that have a loop of their own.
  package func turn(waitingAtMost milliseconds: Int64) {
    let ready = selector.wait(milliseconds: isHolding ? 0 : timeout(atMost: milliseconds))
    now = LoopClock.read()
    for index in 0..<ready {
      let (registration, readiness) = selector.event(index)
      let slot = Int(registration.slot)
      guard slots[slot].serial == registration.serial, let handler = slots[slot].handler else { continue }
      handler.ready(readiness)
    }
    drainMailboxes()
    fireTimers()
    isHolding = turnObserver?.turnEnded(isQuiet: ready == 0) ?? false
  }

  private func timeout(atMost limit: Int64) -> Int32 {
    var wait = limit
    if let deadline = timers.nextDeadline {
      // The clock is read again: the last turn took time, and its `now` would make this one oversleep.
      let boot = LoopClock.readBootNanoseconds()
      if deadline <= boot / 1_000_000 { return 0 }
      // Rounded up, so that the wake-up is never just before the deadline.
      if deadline < boot / 1_000_000 + limit { wait = (deadline * 1_000_000 - boot + 999_999) / 1_000_000 }
    }
    return Int32(clamping: max(0, wait))
  }

  private func drainMailboxes() {
    guard !rung.isEmpty else { return }
    var index = 0
    while index < rung.count {
      rung[index].drain()
      index += 1
    }
    rung.removeAll(keepingCapacity: true)
  }

  private func fireTimers() {
    let round = timers.nextOrder
    while let timer = timers.popExpired(now: now.bootMilliseconds, before: round) {
      timer.handler.timerFired(timer.token)
    }
  }

  /// Handlers and loop refer to each other; this cuts the knot.
  private func releaseEverything() {
    turnObserver = nil
    rung.removeAll()
    for index in slots.indices where slots[index].handler != nil {
      remove(Registration(slot: UInt32(index), serial: slots[index].serial))
    }
    let waiting = timers
    timers = TimerQueue()
    _ = consume waiting
  }
}
