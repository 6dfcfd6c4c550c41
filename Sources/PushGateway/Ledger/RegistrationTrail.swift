import GatewayCore

/// What the ledger lends to an admin thread that shows a registration, so that the search costs its own nothing.
struct RegistrationTrail: Sendable {
  var chunks: [TrailChunk]
  var registration: UInt64
  var widgets: Int

  /// Newest first, as long as they speak of the widgets that there are now; a few for each widget.
  var latest: [TrailSearch.Told] {
    TrailSearch(chunks).decisions(.registrations([registration]), last: 8 * widgets).filter { $0.face == nil }
  }
}
