import GatewayCore
import GatewayIO

/// The end of a provider's connection, for whatever reason: idleness, too many errors, a certificate that is trusted no
/// more, the gateway's own end.
extension ProviderConnection {
  func idled(on connection: HTTPConnection) { leave(Refusal(.idleTimeout), on: connection) }

  func drainBegan(on connection: HTTPConnection) { leave(Refusal(.shutdown), on: connection) }

  /// Apple: too many errors end a connection. Its last one is the reason that the client is given.
  func hadTooManyErrors(_ last: RejectionReason, on connection: HTTPConnection) {
    guard farewell == nil else { return }
    let limit = worker.configuration.limits.errorsPerMinute
    worker.log.record(
      .warning, "a provider had more errors on one connection than limits.errors-per-minute allows; it is closed",
      [(.peer, "\(connection.peer.address)"), (.reason, last.rawValue), (.count, "\(limit)")])
    leave(
      Refusal(last, "Mend the requests, then connect again: there were more than \(limit) errors a minute."),
      on: connection)
  }

  /// Begins the goodbye, unless it has begun.
  func leave(_ reason: Refusal, on connection: HTTPConnection) {
    guard farewell == nil else { return }
    farewell = Farewell(reason, at: worker.loop.now.bootMilliseconds)
    endWatching(on: connection)
    connection.tick(every: Farewell.period)
    ticked(on: connection)
  }

  func ticked(on connection: HTTPConnection) {
    let http2 = connection.http2
    let view = Farewell.View(
      hasAnnounced: http2.hasAnnouncedShutdown, isQuiet: http2.openStreams == 0, lastStream: http2.lastPeerStream)
    guard let step = farewell?.next(view, at: worker.loop.now.bootMilliseconds), let reason = farewell?.reason.body
    else { return }
    switch step {
    case .wait: break
    case .ping: http2.ping()
    case .announce(let whenQuiet): http2.announceShutdown(debugData: reason, whenQuiet: whenQuiet)
    case .leave: http2.goAway(debugData: reason)
    case .end(let silence): connection.endIfAbandoned(after: silence)
    }
  }
}
