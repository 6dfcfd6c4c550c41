/// Whoever receives what other threads post to a ``Mailbox``.
package protocol MailboxHandler<Message>: AnyObject {
  associatedtype Message: Sendable

  /// All that was waiting, in the order of posting; never empty. Take out what is to be kept: the array's storage is
  /// used again.
  func received(_ batch: [Message])
}
