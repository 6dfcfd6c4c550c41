import GatewayCore
import Glibc
import Synchronization
import TokenStore

/// The daemon's log. Any thread may write; lines are never mixed.
///
/// A reader that does not read loses lines rather than stopping the gateway, as long as its descriptor does not block;
/// how many were lost is said when it reads again.
final class LogSink: GatewayLog {
  private struct State {
    var level: GatewayConfiguration.LogLevel
    var lost = 0
    /// The reader stopped in the middle of a line, which has no end yet.
    var isTorn = false
  }

  private let format: GatewayConfiguration.Log.Format
  private let descriptor: Int32
  private let clock: @Sendable () -> UnixTime
  private let state: Mutex<State>

  /// - Parameter format: `journal` falls back to text where no journal listens.
  convenience init(_ configuration: GatewayConfiguration.Log) {
    let isFallback = configuration.format == .journal && !SystemJournal.isPresent
    self.init(
      format: isFallback ? .text : configuration.format, level: configuration.level, descriptor: STDERR_FILENO,
      clock: Self.wallClock)
  }

  init(
    format: GatewayConfiguration.Log.Format, level: GatewayConfiguration.LogLevel, descriptor: Int32,
    clock: @escaping @Sendable () -> UnixTime
  ) {
    self.format = format
    self.descriptor = descriptor
    self.clock = clock
    state = Mutex(State(level: level))
  }

  /// For a reload.
  func setLevel(_ level: GatewayConfiguration.LogLevel) { state.withLock { $0.level = level } }

  func isRecording(_ level: GatewayConfiguration.LogLevel) -> Bool { state.withLock { level >= $0.level } }

  func record(_ level: GatewayConfiguration.LogLevel, _ message: String, _ fields: [(LogKey, String)]) {
    guard isRecording(level) else { return }
    if format == .journal {
      SystemJournal.send(level, message, fields)
      return
    }
    let line = text(LogLine(time: clock(), level: level, message: message, fields: fields))
    state.withLock { state in
      if state.lost > 0 {
        let count = "\(state.lost)"
        let gap = LogLine(
          time: clock(), level: .warning, message: "lines of this log were lost: nobody read it",
          fields: [(.count, count)])
        if write(text(gap), &state) { state.lost = 0 }
      }
      if state.lost > 0 || !write(line, &state) { state.lost += 1 }
    }
  }

  private func text(_ line: LogLine) -> String { format == .json ? line.json : line.text }

  /// - Returns: false if nothing, or not all of it, could be written.
  private func write(_ line: String, _ state: inout State) -> Bool {
    let bytes = Array(((state.isTorn ? "\n" : "") + line + "\n").utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        written += count
      } else {
        let code = errno
        // A line that is begun is worth a moment, or the next one would be torn too.
        guard code == EINTR || (code == EAGAIN && written > 0 && waitUntilWritable()) else {
          if written > 0 { state.isTorn = true }
          return false
        }
      }
    }
    state.isTorn = false
    return true
  }

  private func waitUntilWritable() -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&entry, 1, 100) == 1
  }

  private static let wallClock: @Sendable () -> UnixTime = {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UnixTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }
}
