/// Whoever takes the connections of a ``Listener``.
package protocol ConnectionAcceptor: AnyObject {
  /// A connection came: nonblocking, close-on-exec, without delay. The acceptor owns the descriptor; letting it go
  /// closes it.
  func accepted(_ descriptor: consuming FileDescriptor, from peer: PeerAddress, on listener: Listener)

  /// The process is out of descriptors or memory: the listener rests for ``Listener/restMilliseconds`` and tries again.
  func acceptFailed(_ error: SystemCallError, on listener: Listener)
}
