import GatewayIO

/// An accepted connection that no loop serves yet. Between loops it travels as a value, and whoever has it owns the
/// descriptor.
struct Newcomer: Sendable {
  let descriptor: Int32
  let peer: PeerAddress
  /// Which listener it came through, by its place.
  let door: Int

  /// Closes the connection.
  func turnAway() { _ = FileDescriptor(owning: descriptor) }
}
