/// What a simulation counted.
struct SimulationTotals: Equatable {
  /// Devices that have held a stream.
  var ready = 0
  var refreshes = 0
  var widgets = 0
  var duplicates = 0
  var reconnects = 0
}
