/// What the ledger counts since the process started; read for metrics and status.
package struct LedgerCounters: Sendable {
  package var pushesAccepted: UInt64 = 0
  package var pushesDuplicate: UInt64 = 0
  package var fanOutsAccepted: UInt64 = 0
  package var widgetsMarked: UInt64 = 0
  package var widgetsSuperseded: UInt64 = 0
  package var widgetsDropped: UInt64 = 0
  package var widgetsExpired: UInt64 = 0
  package var widgetsReceived: UInt64 = 0
  /// Looked at since their time had come; nobody else is.
  package var registrationsWoken: UInt64 = 0
  package var eventsSent: UInt64 = 0
  package var eventsSentAgain: UInt64 = 0
  /// Hand-overs of widgets by ``RefreshDecision/Toll``'s raw value.
  package var handOvers = InlineArray<5, UInt64>(repeating: 0)

  package init() {}

}
