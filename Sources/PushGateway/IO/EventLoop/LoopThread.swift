import CLinux
import Glibc
import Synchronization

/// A thread with a name that runs one body and can be waited for.
///
/// The body builds its own world on the new thread (loop, connections, all that is not Sendable) and takes along only what
/// `sending` allows: mailboxes and values.
package final class LoopThread: Sendable {
  private final class Body {
    let name: String
    let run: () -> Void

    init(name: String, run: @escaping () -> Void) {
      self.name = name
      self.run = run
    }
  }

  private enum State: Sendable { case running(pthread_t), joined }

  private let state: Mutex<State>

  /// Starts at once. `name` shows in `ps -L` and in debuggers; 15 characters are kept.
  package init(name: String, _ body: sending @escaping () -> Void) throws(SystemCallError) {
    let context = Unmanaged.passRetained(Body(name: name, run: body))
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, threadStarted, context.toOpaque())
    guard code == 0 else {
      context.release()
      throw SystemCallError(call: "pthread_create", code: code)
    }
    state = Mutex(.running(thread))
  }

  /// Waits until the body has returned. Only the first call waits; the body itself must not call it.
  package func join() {
    let thread: pthread_t? = state.withLock { state in
      guard case .running(let thread) = state else { return nil }
      state = .joined
      return thread
    }
    if let thread { pthread_join(thread, nil) }
  }

  deinit {
    // Nobody will wait any more: the kernel may clean up when the body returns.
    if case .running(let thread) = state.withLock({ $0 }) { pthread_detach(thread) }
  }

  fileprivate static func run(_ context: UnsafeMutableRawPointer) {
    let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
    linux_name_thread(body.name)
    // Whatever it writes to may be closed by its reader, and that is an error to be told and no end of the process.
    linux_block_sigpipe()
    body.run()
  }
}

private func threadStarted(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let context { LoopThread.run(context) }
  return nil
}
