import CLinux

/// What a descriptor can do now, or what its owner wants to hear about.
package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A read will not block: there are bytes, or an end, or an error to fetch.
  package static let readable = Readiness(rawValue: 1)
  /// A write will not block. Ask for it only while output is stuck; it is true nearly always.
  package static let writable = Readiness(rawValue: 2)
  /// Both directions are gone. Always reported, asked for or not, in every turn until the descriptor is removed: the
  /// handler must close.
  package static let hangup = Readiness(rawValue: 4)

  /// An error is shown as readable too, so that a handler finds it where it looks anyway.
  init(epoll events: UInt32) {
    var readiness: Readiness = []
    if events & EPOLLIN.rawValue != 0 { readiness.insert(.readable) }
    if events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
    if events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { readiness.formUnion([.readable, .hangup]) }
    self = readiness
  }

  var epollEvents: UInt32 {
    (contains(.readable) ? EPOLLIN.rawValue : 0) | (contains(.writable) ? EPOLLOUT.rawValue : 0)
  }
}
