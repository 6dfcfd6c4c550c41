import CLinux
import Glibc

/// Owns one epoll instance and the array into which it reports.
struct Selector: ~Copyable {
  /// Ready descriptors that one turn takes at most; the rest are reported in the next one, before these again. A turn is
  /// to be short: listeners, mailboxes and timers have one chance in each, and what it decides is committed at its end.
  static let eventsPerTurn = 32

  private let descriptor: FileDescriptor
  private let events: UnsafeMutablePointer<epoll_event>

  init() throws(SystemCallError) {
    let raw = epoll_create1(Int32(EPOLL_CLOEXEC))
    let code = errno
    guard raw >= 0 else { throw SystemCallError(call: "epoll_create1", code: code) }
    descriptor = FileDescriptor(owning: raw)
    events = .allocate(capacity: Self.eventsPerTurn)
    events.initialize(repeating: epoll_event(), count: Self.eventsPerTurn)
  }

  deinit { events.deallocate() }

  borrowing func add(
    _ target: Int32, interest: Readiness, exclusive: Bool, registration: Registration
  ) throws(SystemCallError) {
    // EPOLLEXCLUSIVE wakes one of the loops that share a listening socket instead of all of them.
    let extra = exclusive ? EPOLLEXCLUSIVE.rawValue : 0
    try control(EPOLL_CTL_ADD, target, interest.epollEvents | extra, registration)
  }

  borrowing func modify(
    _ target: Int32, interest: Readiness, registration: Registration
  ) throws(SystemCallError) {
    try control(EPOLL_CTL_MOD, target, interest.epollEvents, registration)
  }

  /// A descriptor that is closed already has left by itself, so there is no failure to report.
  borrowing func remove(_ target: Int32) {
    var event = epoll_event()
    _ = epoll_ctl(descriptor.raw, EPOLL_CTL_DEL, target, &event)
  }

  /// Waits for at most `milliseconds` (-1: without end) and says how many events ``event(_:)`` can give.
  borrowing func wait(milliseconds: Int32) -> Int {
    let count = epoll_wait(descriptor.raw, events, Int32(Self.eventsPerTurn), milliseconds)
    let code = errno
    if count >= 0 { return Int(count) }
    guard code == EINTR else { preconditionFailure("epoll_wait can only fail on a descriptor that is not ours") }
    return 0
  }

  borrowing func event(_ index: Int) -> (registration: Registration, readiness: Readiness) {
    let event = events[index]
    return (Registration(packed: event.data.u64), Readiness(epoll: event.events))
  }

  private borrowing func control(
    _ operation: Int32, _ target: Int32, _ mask: UInt32, _ registration: Registration
  ) throws(SystemCallError) {
    var event = epoll_event()
    event.events = mask
    event.data.u64 = registration.packed
    let result = epoll_ctl(descriptor.raw, operation, target, &event)
    let code = errno
    guard result == 0 else { throw SystemCallError(call: "epoll_ctl", code: code) }
  }
}
