import GatewayCore
import GatewayIO
import TokenStore

/// The client certificate of a provider's connection: judged when the handshake is over, and anew when a reload has made
/// other authorities. A bad one is answered as APNs answers it, with a GOAWAY that says why before any request is read.
extension ProviderConnection {
  func secured(on connection: HTTPConnection) {
    guard let context = worker.tlsContext(ofProvider: listener) else { return }
    do throws(Refusal) {
      try examineCertificate(by: context, on: connection)
      raiseStreamsOnceAuthenticated(fromTheStart: true, on: connection)
    } catch {
      worker.counters.connectionsRefused += 1
      worker.refusals.record(
        error, ofCertificateOn: connection, environment: environment, at: worker.now, to: worker.log)
      connection.http2.goAway(lastStreamID: 0, debugData: error.body)
      connection.dismiss()
    }
  }

  /// Costs nothing unless the connection lives by its certificate, and then one comparison of references.
  func examineCertificateAfterReload(on connection: HTTPConnection) throws(Refusal) {
    guard let judgedBy else { return }
    guard worker.configuration.providers[listener].clientCA != nil,
      let context = worker.tlsContext(ofProvider: listener)
    else {
      throw Refusal(
        .badCertificate, "This listener takes no client certificates any more; connect anew and send a provider token.")
    }
    if context !== judgedBy { try examineCertificate(by: context, on: connection) }
  }

  private func examineCertificate(by context: TLSContext, on connection: HTTPConnection) throws(Refusal) {
    switch connection.peerCertificate(judgedBy: context) {
    case nil: return
    case .refused(let why)?:
      throw Refusal(.badCertificate, "Use another client certificate; this one is not accepted: \(why).")
    case .verified(let contents)?:
      session.accept(try ProviderCertificate(contents).credential(in: environment, at: worker.wall))
      judgedBy = context
    }
  }
}

extension ProviderCertificate {
  fileprivate init(_ contents: PeerCertificate.Contents) {
    var environments: Set<GatewayEnvironment> = []
    if contents.isMarkedDevelopment { environments.insert(.development) }
    if contents.isMarkedProduction { environments.insert(.production) }
    self.init(
      subjectID: contents.subjectID, team: contents.organizationalUnit, topics: contents.topics,
      environments: environments, validFrom: UnixTime(seconds: contents.validity.lowerBound),
      validUntil: UnixTime(seconds: contents.validity.upperBound))
  }
}
