import CLinux
import Glibc
import Synchronization

/// How other threads reach a loop: a locked array, and an eventfd as the bell that wakes the loop.
///
/// The queue is the truth and the bell only says "look": a post rings when the queue was empty, and the reader silences
/// the bell before it takes the queue, so no message can be left waiting for the next one. The reader gives its emptied
/// array back, so two arrays swap places and nothing is allocated once they have grown.
package final class Mailbox<Message: Sendable>: Sendable {
  /// Messages that ``post(_:)`` lets wait at most.
  package let capacity: Int
  private let queue = Mutex<[Message]>([])
  private let bell: FileDescriptor

  package init(capacity: Int) throws(SystemCallError) {
    let raw = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    let code = errno
    guard raw >= 0 else { throw SystemCallError(call: "eventfd", code: code) }
    bell = FileDescriptor(owning: raw)
    self.capacity = capacity
  }

  /// Posts work that may be refused. False when the mailbox is full: nothing was posted, and the caller must say no to
  /// whoever asked.
  package func post(_ message: Message) -> Bool {
    let wasEmpty: Bool? = queue.withLock { waiting in
      guard waiting.count < capacity else { return nil }
      waiting.append(message)
      return waiting.count == 1
    }
    guard let wasEmpty else { return false }
    if wasEmpty { ring() }
    return true
  }

  /// Posts what must arrive: completions and control messages, whose number the receiver bounds by what it started.
  package func postAlways(_ message: Message) {
    let wasEmpty = queue.withLock { waiting in
      waiting.append(message)
      return waiting.count == 1
    }
    if wasEmpty { ring() }
  }

  var bellDescriptor: Int32 { bell.raw }

  func silence() {
    var count: UInt64 = 0
    _ = read(bell.raw, &count, 8)
  }

  /// Swaps the queue with `batch`, which must be empty.
  func take(into batch: inout [Message]) {
    // The reader may hold other references to its array for as long as it likes: swapping moves, it never copies.
    queue.withLock { swap(&$0, &batch) }
  }

  private func ring() {
    var one: UInt64 = 1
    _ = write(bell.raw, &one, 8)
  }
}
