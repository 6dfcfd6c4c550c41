/// What the loop needs of a mailbox, whatever its messages are.
protocol MailboxDraining: AnyObject {
  func drain()
}

/// Ties one ``Mailbox`` to its receiver on a loop. Sockets are served before mailboxes (a completion must not close a
/// connection whose event still waits in this turn), so the bell only puts the port on the loop's list.
final class MailboxPort<Message: Sendable>: EventHandler, MailboxDraining {
  private let mailbox: Mailbox<Message>
  private let handler: any MailboxHandler<Message>
  /// The loop owns the port and outlives it.
  private unowned let loop: EventLoop
  private var batch: [Message] = []

  init(mailbox: Mailbox<Message>, handler: any MailboxHandler<Message>, loop: EventLoop) {
    self.mailbox = mailbox
    self.handler = handler
    self.loop = loop
  }

  func ready(_ readiness: Readiness) {
    mailbox.silence()
    loop.mailboxRang(self)
  }

  func drain() {
    mailbox.take(into: &batch)
    guard !batch.isEmpty else { return }
    handler.received(batch)
    batch.removeAll(keepingCapacity: true)
  }
}
