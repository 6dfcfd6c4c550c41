import GatewayIO
import Glibc

/// Calls back with what it is told; the tests say what to do.
final class Probe: EventHandler, TimerHandler, TurnObserver, MailboxHandler {
  var onReady: (Readiness) -> Void = { _ in }
  var onTimer: (UInt64) -> Void = { _ in }
  var onTurn: () -> Void = {}
  /// Whether something is held back, of a turn that was quiet or not.
  var onHold: (_ isQuiet: Bool) -> Bool = { _ in false }
  var onBatch: ([Int]) -> Void = { _ in }

  func ready(_ readiness: Readiness) { onReady(readiness) }
  func timerFired(_ token: UInt64) { onTimer(token) }

  func turnEnded(isQuiet: Bool) -> Bool {
    onTurn()
    return onHold(isQuiet)
  }

  func received(_ batch: [Int]) { onBatch(batch) }
}

func send(_ text: String, over descriptor: borrowing FileDescriptor) {
  let bytes = Array(text.utf8)
  _ = write(descriptor.raw, bytes, bytes.count)
}

func receive(from descriptor: borrowing FileDescriptor) -> String {
  var bytes = [UInt8](repeating: 0, count: 4096)
  let count = read(descriptor.raw, &bytes, bytes.count)
  return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
}

/// Turns until `done` or for five seconds, which only a failing test needs.
func turn(_ loop: EventLoop, until done: () -> Bool) {
  let limit = LoopClock.readBootNanoseconds() + 5_000_000_000
  while !done(), LoopClock.readBootNanoseconds() < limit { loop.turn(waitingAtMost: 50) }
}

/// A directory that is removed at the end.
final class ScratchDirectory {
  let path: String

  init() {
    var template = Array("/tmp/gateway-io-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress, let made = mkdtemp(base) else { return "/nonexistent" }
      return String(cString: made)
    }
  }

  deinit {
    guard let directory = opendir(path) else { return }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { unlink("\(path)/\(name)") }
    }
    closedir(directory)
    rmdir(path)
  }
}
