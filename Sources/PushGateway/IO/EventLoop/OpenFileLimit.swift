import Glibc

/// How many files and sockets the process may have open.
package enum OpenFileLimit {
  /// What a gateway has open besides its connections: listeners, the store, a backup, admin connections, the loops' own.
  package static let reserve = 448

  /// Raises the soft limit to the hard one. Linux keeps the soft one low for the sake of select(2), which nothing here
  /// calls.
  package static func raise() {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(resource, &limit)
  }

  /// What the process may have open now.
  package static var current: Int {
    var limit = rlimit()
    return getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : .max
  }

  /// Connections for which there is room.
  package static var connections: Int { max(1, current - min(reserve, current / 2)) }

  private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
}
