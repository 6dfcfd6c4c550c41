/// Whoever owns a registered descriptor: usually one connection object, with its ``Transport`` and its session.
package protocol EventHandler: AnyObject {
  /// Called on the loop's thread, at most once per turn and registration. It may register, modify and remove anything,
  /// itself included; the loop keeps the object alive until the call returns.
  func ready(_ readiness: Readiness)
}
