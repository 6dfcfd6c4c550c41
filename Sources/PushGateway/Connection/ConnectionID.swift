/// Names one connection of one loop. Whoever waits for something keeps this and not the connection; a name whose
/// connection is gone finds nobody, since a slot's serial changes with every use.
struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
  var loop: UInt16
  var slot: UInt32
  var serial: UInt32

  /// As the log names it.
  var description: String { "\(loop).\(slot).\(serial)" }
}
