import Glibc

/// One thread of the operating system, not of Swift's pool: SQLite blocks, and the pool's threads must not.
struct PosixThread: Sendable {
  struct Refused: Error, CustomStringConvertible {
    let code: Int32
    var description: String { String(cString: strerror(code)) }
  }

  private let thread: pthread_t

  /// The new thread inherits the caller's signal mask.
  init(_ body: sending @escaping () -> Void) throws(Refused) {
    let context = Unmanaged.passRetained(Body(run: body))
    var started = pthread_t()
    let code = pthread_create(&started, nil, runBody, context.toOpaque())
    guard code == 0 else {
      context.release()
      throw Refused(code: code)
    }
    thread = started
  }

  /// Shows in `ps -L` and in debuggers; 15 characters are kept.
  static func nameCurrent(_ name: String) {
    let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    let bytes = Array(name.utf8)
    _ = write(descriptor, bytes, bytes.count)
    close(descriptor)
  }

  /// Waits for the end of the thread. Once only, and not from the thread itself.
  func join() { pthread_join(thread, nil) }

  fileprivate final class Body {
    let run: () -> Void
    init(run: sending @escaping () -> Void) { self.run = run }
  }
}

private func runBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<PosixThread.Body>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
