/// Whoever asked to be called at a time.
package protocol TimerHandler: AnyObject {
  /// Called once per scheduled timer, never before its deadline. `token` is what ``EventLoop/schedule(at:_:token:)`` was
  /// given, so that one object can tell its timers apart.
  func timerFired(_ token: UInt64)
}
