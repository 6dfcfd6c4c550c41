/// What the simulation is there to meet. A run that never does shows nothing.
package enum Reach {
  package static let wanted = [
    "registered", "replaced", "removed", "left", "forgotten app", "token in use", "attached", "second stream",
    "receipt", "old receipt", "sent again", "handed over", "production", "charged", "counted", "uncounted", "exempt",
    "bypassed", "accepted", "duplicate", "rush", "flood", "over budget", "patient client", "deferred", "dropped",
    "expired", "unregistered", "unknown token", "rules changed", "developer mode", "reset", "asked", "clock back",
    "clock forward", "committed", "restarted", "crashed with batches under way", "started with other rules",
    "rebooted", "window checked", "waited for budget", "waited for minimumInterval", "waited for lowPriority",
    "waited for asleep", "fan-out", "fan-out again", "fan-out slice", "fan-out done", "fan-out cancelled",
    "fan-out forgotten", "fan-out over a restart", "fan-out skipped", "fan-out sent", "fan-out received",
    "fan-out deferred", "fan-out dropped", "fan-out superseded", "fan-out expired", "fan-out removed", "settled",
  ]
}
