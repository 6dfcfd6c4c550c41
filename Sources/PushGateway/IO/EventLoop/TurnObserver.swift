/// Whoever gathers during a turn what is better done once at its end.
package protocol TurnObserver: AnyObject {
  /// Called at the end of every turn, after sockets, mailboxes and timers: send the batch to the store, flush the output
  /// of each touched connection. Also called in turns in which nothing happened.
  ///
  /// - Parameter isQuiet: no descriptor was ready in this turn.
  /// - Returns: whether something is held back for company. The next turn then takes what there is and does not wait.
  func turnEnded(isQuiet: Bool) -> Bool
}
