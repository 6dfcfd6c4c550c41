import GatewayCore
import GatewayIO
import Glibc
import TokenStore

/// Writes lines where they are read. Lives on its own thread, since standard error may be a pipe that nobody empties, and
/// the journal a daemon that hangs.
final class LogWriter {
  private let queue: LogQueue
  private let format: GatewayConfiguration.Log.Format
  private let descriptor: Int32
  private let clock: @Sendable () -> UnixTime

  init(
    _ queue: LogQueue, format: GatewayConfiguration.Log.Format, descriptor: Int32,
    clock: @escaping @Sendable () -> UnixTime
  ) {
    self.queue = queue
    self.format = format
    self.descriptor = descriptor
    self.clock = clock
  }

  /// Returns when the queue has ended and all of it is written.
  func run() {
    while true {
      let batch = queue.take()
      for line in batch.lines { write(line) }
      if batch.lost > 0 {
        write(
          LogLine(
            time: clock(), level: .warning,
            message: "lines of this log were lost: they came faster than they were read",
            fields: [(.count, "\(batch.lost)")]))
      }
      if batch.isEnding, batch.lines.isEmpty, batch.lost == 0 { return }
    }
  }

  private func write(_ line: LogLine) {
    switch format {
    case .journal: SystemJournal.send(line.level, line.message, line.fields)
    case .json: write(line.json)
    case .text: write(line.text)
    }
  }

  /// What has no reader any more is dropped: there is nobody left to tell.
  private func write(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      let code = errno
      if count > 0 {
        written += count
      } else if code == EAGAIN {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&entry, 1, -1)
      } else if code != EINTR {
        return
      }
    }
  }
}
