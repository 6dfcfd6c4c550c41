import Glibc
import Synchronization

/// Where a program speaks: results on standard output, messages on standard error. A reader that goes away (`| head`)
/// is no failure; what would be written to it is dropped. Safe from any thread; a line is never torn by another.
package final class Output: Sendable {
  private enum Target {
    case descriptors
    case memory(output: [UInt8], error: [UInt8])
  }

  private struct State {
    var target: Target
    var readerIsGone = false
  }

  private let state: Mutex<State>
  package let style: Style
  package let errorStyle: Style
  /// Whether a person sees standard error as it comes: ``progress(_:)`` rewrites one line there.
  package let isErrorWatched: Bool

  private init(target: sending Target, style: Style, errorStyle: Style, isErrorWatched: Bool = false) {
    state = Mutex(State(target: target))
    self.isErrorWatched = isErrorWatched
    self.style = style
    self.errorStyle = errorStyle
  }

  /// The process's own standard output and error. Ignores SIGPIPE, or a closed pipe would end the process before
  /// `write` could say so.
  package static func standard() -> Output {
    signal(SIGPIPE, SIG_IGN)
    let isPlain = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    return Output(
      target: .descriptors, style: Style(isColoured: !isPlain && isatty(STDOUT_FILENO) == 1),
      errorStyle: Style(isColoured: !isPlain && isatty(STDERR_FILENO) == 1),
      isErrorWatched: isatty(STDERR_FILENO) == 1)
  }

  /// Keeps what is written, for tests.
  package static func captured(style: Style = .plain) -> Output {
    Output(target: .memory(output: [], error: []), style: style, errorStyle: style)
  }

  /// Nobody reads standard output any more; a command that only prints may end.
  package var readerIsGone: Bool { state.withLock { $0.readerIsGone } }

  /// What was captured from ``print(_:)``; empty for the real standard output.
  package var printedText: String {
    state.withLock { state in
      if case .memory(let output, _) = state.target { String(decoding: output, as: UTF8.self) } else { "" }
    }
  }

  /// What was captured from ``error(_:)``.
  package var errorText: String {
    state.withLock { state in
      if case .memory(_, let error) = state.target { String(decoding: error, as: UTF8.self) } else { "" }
    }
  }

  /// One line, or several, on standard output.
  package func print(_ text: String) { write(Array((text + "\n").utf8), toError: false) }

  /// One line, or several, on standard error.
  package func error(_ text: String) { write(Array((text + "\n").utf8), toError: true) }

  /// How far something has come: on a terminal one line that is written over, else a line each time.
  package func progress(_ text: String) {
    write(Array((isErrorWatched ? "\r\u{1B}[2K" + text : text + "\n").utf8), toError: true)
  }

  /// Leaves the line that ``progress(_:)`` wrote over.
  package func endProgress() {
    if isErrorWatched { write([0x0A], toError: true) }
  }

  private func write(_ bytes: [UInt8], toError: Bool) {
    state.withLock { state in
      switch state.target {
      case .memory(var output, var error):
        if toError { error += bytes } else { output += bytes }
        state.target = .memory(output: output, error: error)
      case .descriptors:
        if toError {
          _ = Self.writeAll(bytes, to: STDERR_FILENO)
        } else if !state.readerIsGone {
          state.readerIsGone = !Self.writeAll(bytes, to: STDOUT_FILENO)
        }
      }
    }
  }

  /// - Returns: false when the other side is gone or the disk behind it is full.
  private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      let code = errno
      if count > 0 {
        written += count
      } else if count < 0, code == EAGAIN {
        // Someone made the shared terminal non-blocking; wait instead of dropping text.
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = Glibc.poll(&poll, 1, 1000)
      } else if count < 0, code == EINTR {
        continue
      } else {
        return false
      }
    }
    return true
  }
}
