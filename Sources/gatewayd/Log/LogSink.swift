import GatewayCore
import GatewayIO
import Glibc
import Synchronization
import TokenStore

/// The daemon's log. Any thread may write, none waits for a reader, and lines are never mixed.
///
/// A reader that does not read costs lines beyond ``LogQueue/Room`` and nothing else; how many, is said when it reads
/// again, and in a metric.
final class LogSink: GatewayLog {
  private let level: Atomic<Int>
  private let queue: LogQueue
  private let clock: @Sendable () -> UnixTime

  /// - Parameter format: `journal` falls back to text where no journal listens.
  convenience init(_ configuration: GatewayConfiguration.Log) throws(SystemCallError) {
    let isFallback = configuration.format == .journal && !SystemJournal.isPresent
    try self.init(
      format: isFallback ? .text : configuration.format, level: configuration.level, descriptor: STDERR_FILENO,
      clock: Self.wallClock)
  }

  /// - Parameter descriptor: stays the caller's, and open until ``flush(within:)`` or for ever.
  init(
    format: GatewayConfiguration.Log.Format, level: GatewayConfiguration.LogLevel, descriptor: Int32,
    room: LogQueue.Room = LogQueue.Room(), clock: @escaping @Sendable () -> UnixTime
  ) throws(SystemCallError) {
    let queue = LogQueue(room: room)
    self.queue = queue
    self.clock = clock
    self.level = Atomic(Self.rank(level))
    // Not joined: it may hang in a write for ever, which must not keep the process.
    _ = try LoopThread(name: "gateway-log") {
      LogWriter(queue, format: format, descriptor: descriptor, clock: clock).run()
    }
  }

  deinit { queue.end() }

  /// For a reload.
  func setLevel(_ level: GatewayConfiguration.LogLevel) { self.level.store(Self.rank(level), ordering: .relaxed) }

  func isRecording(_ level: GatewayConfiguration.LogLevel) -> Bool {
    Self.rank(level) >= self.level.load(ordering: .relaxed)
  }

  func record(_ level: GatewayConfiguration.LogLevel, _ message: String, _ fields: [(LogKey, String)]) {
    guard isRecording(level) else { return }
    queue.append(LogLine(time: clock(), level: level, message: message, fields: fields))
  }

  /// Before the end of the process: waits until all is written, but not for a reader that has stopped.
  func flush(within limit: Duration) { queue.flush(within: limit) }

  /// Lines that nobody could read, since the start.
  var linesLost: Int { queue.linesLost }

  private static func rank(_ level: GatewayConfiguration.LogLevel) -> Int {
    GatewayConfiguration.LogLevel.allCases.firstIndex(of: level) ?? 0
  }

  private static let wallClock: @Sendable () -> UnixTime = {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UnixTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }
}
