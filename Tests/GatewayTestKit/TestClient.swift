import GatewayCore
package import GatewayIO
package import PushGateway
package import TokenStore

/// Speaks to a ``DevelopmentGateway`` over real sockets, on a loop that turns only while a test waits. Confined to the
/// test's thread.
package final class TestClient {
  package struct TimedOut: Error {
    package let what: String
  }

  package let development: DevelopmentGateway
  private let loop: EventLoop
  private let trust: TLSContext
  private let signer: ProviderTokenSigner
  private let pool = HTTP2StreamPool(limit: 1024)
  private var connections: [ClientConnection] = []

  package init(_ development: DevelopmentGateway) throws {
    self.development = development
    loop = try EventLoop()
    trust = try TLSContext.client(trust: .certificates(development.caCertificate))
    signer = ProviderTokenSigner(
      team: DevelopmentGateway.team, keyID: DevelopmentGateway.keyID,
      key: try ES256SigningKey(pem: development.providerKey))
  }

  package func close() {
    for connection in connections { connection.close() }
    connections = []
  }

  /// - Parameter identity: the client certificate to show.
  package func connect(to port: UInt16, as identity: CertificateAndKey? = nil) throws -> ClientConnection {
    var context = trust
    if let identity {
      context = try TLSContext.client(trust: .certificates(development.caCertificate), identity: identity)
    }
    return try connect(to: port, security: .tls(context, host: "localhost"))
  }

  /// To a listener without TLS.
  package func connectInTheClear(to port: UInt16) throws -> ClientConnection {
    try connect(to: port, security: .cleartext)
  }

  private func connect(to port: UInt16, security: ClientConnection.Security) throws -> ClientConnection {
    let connection = try ClientConnection(
      loop: loop, address: .tcp(host: "127.0.0.1", port: port), security: security, pool: pool)
    connection.start()
    connections.append(connection)
    return connection
  }

  package func connectProvider(_ environment: GatewayEnvironment = .development) throws -> ClientConnection {
    try connect(to: development.port(of: environment))
  }

  package func connectDevice() throws -> ClientConnection { try connect(to: development.devicePort) }

  /// Turns the loop until the condition holds.
  package func wait(for what: String, seconds: Int = 30, until isDone: () throws -> Bool) throws {
    let deadline = LoopClock.read().bootMilliseconds + Int64(seconds) * 1000
    while try !isDone() {
      guard LoopClock.read().bootMilliseconds < deadline else { throw TimedOut(what: what) }
      loop.turn(waitingAtMost: 50)
    }
  }

  package func exchange(_ request: ClientRequest, on connection: ClientConnection) throws -> ClientResponse {
    var result: Result<ClientResponse, ClientError>?
    connection.send(request) { result = $0 }
    try wait(for: "an answer to \(request.path)") { result != nil }
    guard let result else { throw TimedOut(what: request.path) }
    return try result.get()
  }

  /// A push as a backend sends it.
  package func push(
    to token: String, app: String, fields: [(name: String, value: String)] = [],
    payload: String = #"{"aps":{"content-changed":true}}"#
  ) throws -> ClientRequest {
    let jwt = try signer.token(issuedAt: LoopClock.read().wallMilliseconds / 1000)
    return ClientRequest(
      .post, "/3/device/" + token,
      fields: [
        (name: "authorization", value: "bearer " + jwt), (name: "apns-topic", value: app + ".push-type.widgets"),
        (name: "apns-push-type", value: "widgets"),
      ] + fields, body: Array(payload.utf8))
  }
}
