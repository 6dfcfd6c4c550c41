/// What the simulation is there to meet. A run that never does shows nothing.
package enum Reach {
  package static let wanted = [
    "registered", "replaced", "removed", "left", "forgotten app", "token in use", "attached", "second stream",
    "receipt", "old receipt", "sent again", "handed over", "production", "charged", "counted", "uncounted", "exempt",
    "bypassed", "accepted", "duplicate", "rush", "flood", "over budget", "patient client", "deferred", "dropped",
    "expired", "unregistered", "unknown token", "rules changed", "developer mode", "reset", "asked", "clock back",
    "clock forward", "committed", "restarted", "crashed with batches under way", "started with other rules",
    "rebooted", "window checked", "waited for budget", "waited for minimumInterval", "waited for lowPriority",
    "waited for asleep", "settled",
  ]
}
