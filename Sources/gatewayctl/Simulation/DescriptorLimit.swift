import CommandLineInterface
import Glibc

/// How many files and sockets the process may have open.
enum DescriptorLimit {
  /// What a process has besides its connections: standard streams, epoll, signals, a file that is written.
  private static let others = 32

  /// Raises the soft limit as far as this many connections need; it may, up to the hard limit.
  static func make(roomFor connections: Int) throws(CommandFailure) {
    let needed = rlim_t(connections + others)
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < needed else { return }
    guard limit.rlim_max >= needed else {
      throw CommandFailure(
        "\(connections) connections need \(needed) file descriptors, and this process may have \(limit.rlim_max); raise "
          + "it with ulimit -Hn, or give --devices-per-connection")
    }
    limit.rlim_cur = needed
    guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      throw CommandFailure("cannot raise the limit of file descriptors: \(String(cString: strerror(errno)))")
    }
  }
}
