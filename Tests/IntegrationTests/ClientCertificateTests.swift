import GatewayCore
import GatewayIO
import GatewayTestKit
import HTTPMessage
import PushGateway
import Testing
import TokenStore

private let app = "com.example.caffeine"

/// Protects the other way to be a provider: a client certificate is as good as a provider token, on listeners that ask.
@Suite("Client certificates, over real sockets", .serialized) struct ClientCertificateTests {
  private let authority: DevelopmentClientAuthority

  init() throws { authority = try DevelopmentClientAuthority(wallSeconds: LoopClock.read().wallMilliseconds / 1000) }

  private func gateway(_ configure: (inout GatewayConfiguration) -> Void = { _ in }) throws -> DevelopmentGateway {
    let clientCA = try authority.certificate()
    return try DevelopmentGateway(bundleIDs: [app]) { configuration in
      for index in configuration.providers.indices { configuration.providers[index].clientCA = clientCA }
      configure(&configuration)
    }
  }

  private func identity(
    topics: [(name: String, kind: String)]? = nil, forProduction: Bool = false
  ) throws -> CertificateAndKey {
    var wish = DevelopmentClientAuthority.Wish(bundleIDs: [app], team: "A1B2C3D4E5", topics: topics)
    wish.isForDevelopment = !forProduction
    wish.isForProduction = forProduction
    return try authority.issue(wish)
  }

  /// A push without what a certificate makes needless.
  private func push(
    to token: String, topic: String? = nil, authorization: String? = nil
  ) -> ClientRequest {
    var fields = [(name: "apns-push-type", value: "widgets")]
    if let topic { fields.append((name: "apns-topic", value: topic)) }
    if let authorization { fields.append((name: "authorization", value: authorization)) }
    return ClientRequest(
      .post, "/3/device/" + token, fields: fields, body: Array(#"{"aps":{"content-changed":true}}"#.utf8))
  }

  private func reason(_ answer: ClientResponse) -> String {
    let text = String(decoding: answer.body, as: UTF8.self)
    return text.split(separator: "\"").dropFirst(3).first.map(String.init) ?? ""
  }

  @Test("A push needs no provider token and no topic, and whatever authorization says is ignored")
  func accepted() throws {
    let development = try gateway()
    defer { development.stop() }
    let client = try TestClient(development)
    defer { client.close() }
    let device = try TestDevice(client)
    try device.register(app, kinds: ["caffeine"])
    let port = development.port(of: .development)
    let provider = try client.connect(to: port, as: try identity())
    for authorization in [nil, "bearer nonsense"] {
      for topic in [nil, app + ".push-type.widgets"] {
        let request = push(to: device.token, topic: topic, authorization: authorization)
        #expect(try client.exchange(request, on: provider).status == 200)
      }
    }
    let other = try client.exchange(push(to: device.token, topic: "com.example.tea.push-type.widgets"), on: provider)
    #expect(other.status == 400 && reason(other) == "TopicDisallowed")
    let several = try client.connect(to: port, as: try identity(topics: [(app, "app"), (app + ".voip", "voip")]))
    let silent = try client.exchange(push(to: device.token), on: several)
    #expect(silent.status == 400 && reason(silent) == "MissingTopic")
    #expect(
      try client.exchange(push(to: device.token, topic: app + ".push-type.widgets"), on: several).status == 200)
  }

  @Test("On the same listener a provider token still does, and is required of those without a certificate")
  func tokens() throws {
    let development = try gateway()
    defer { development.stop() }
    let client = try TestClient(development)
    defer { client.close() }
    let device = try TestDevice(client)
    try device.register(app, kinds: ["caffeine"])
    let provider = try client.connectProvider()
    let refused = try client.exchange(push(to: device.token), on: provider)
    #expect(refused.status == 403 && reason(refused) == "MissingProviderToken")
    #expect(try client.exchange(try client.push(to: device.token, app: app), on: provider).status == 200)
  }

  @Test("A listener that asks for no certificate is shown none")
  func notAsked() throws {
    let development = try gateway { $0.providers[0].clientCA = nil }
    defer { development.stop() }
    let client = try TestClient(development)
    defer { client.close() }
    let device = try TestDevice(client)
    try device.register(app, kinds: ["caffeine"])
    let port = development.port(of: development.configuration.providers[0].environment)
    let shown = try client.connect(to: port, as: try identity())
    #expect(try client.exchange(push(to: device.token), on: shown).status == 403)
  }

  private func goodbye(
    to identity: CertificateAndKey, at environment: GatewayEnvironment, of client: TestClient
  ) throws -> String {
    let provider = try client.connect(to: client.development.port(of: environment), as: identity)
    var ending: ClientError??
    provider.closed = { ending = .some($0) }
    try client.wait(for: "the goodbye") { ending != nil }
    guard case .closedByPeer(let goAway)?? = ending else { return "\(String(describing: ending))" }
    return goAway ?? "no GOAWAY"
  }

  @Test("A bad certificate, and one of the other environment, are told in a GOAWAY before any push")
  func refused() throws {
    let development = try gateway()
    defer { development.stop() }
    let client = try TestClient(development)
    defer { client.close() }
    let production = try identity(forProduction: true)
    #expect(
      try goodbye(to: production, at: .development, of: client)
        .hasPrefix(#"{"reason":"BadCertificateEnvironment","detail":"The client certificate is not of the dev"#))
    let stranger = try DevelopmentClientAuthority(wallSeconds: LoopClock.read().wallMilliseconds / 1000)
    #expect(
      try goodbye(to: stranger.issue(.init(bundleIDs: [app])), at: .development, of: client)
        .hasPrefix(#"{"reason":"BadCertificate","detail":"Use another client certificate; this one is not accepted: "#))
    var wish = DevelopmentClientAuthority.Wish(bundleIDs: [])
    wish.isForProduction = true
    #expect(
      try goodbye(to: authority.issue(wish), at: .production, of: client)
        .hasPrefix(#"{"reason":"BadCertificate","detail":"The client certificate names no topic"#))
    // The listener goes on.
    let device = try TestDevice(client)
    try device.register(app, kinds: ["caffeine"], environment: "production")
    let provider = try client.connect(to: development.port(of: .production), as: production)
    #expect(try client.exchange(push(to: device.token), on: provider).status == 200)
  }

  @Test("A reload of client-ca counts for new connections and for open ones, and a broken one changes nothing")
  func reload() throws {
    let development = try gateway()
    defer { development.stop() }
    let client = try TestClient(development)
    defer { client.close() }
    let device = try TestDevice(client)
    try device.register(app, kinds: ["caffeine"])
    let port = development.port(of: .development)
    let identity = try identity()
    let open = try client.connect(to: port, as: identity)
    #expect(try client.exchange(push(to: device.token), on: open).status == 200)

    var changed = development.configuration
    let place = try #require(changed.providers.firstIndex { $0.environment == .development })
    changed.providers[place].clientCA = Array("-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n".utf8)
    #expect(throws: GatewayError.self) { try development.gateway.reload(changed) }
    #expect(try client.exchange(push(to: device.token), on: open).status == 200)

    // Still trusted beside another: the connection goes on.
    let next = try DevelopmentClientAuthority(wallSeconds: LoopClock.read().wallMilliseconds / 1000)
    changed.providers[place].clientCA = try authority.certificate() + next.certificate()
    try development.gateway.reload(changed)
    #expect(try client.exchange(push(to: device.token), on: open).status == 200)

    changed.providers[place].clientCA = try next.certificate()
    try development.gateway.reload(changed)
    var ending: ClientError??
    open.closed = { ending = .some($0) }
    let answer = try client.exchange(push(to: device.token), on: open)
    #expect(answer.status == 403 && reason(answer) == "BadCertificate")
    try client.wait(for: "the goodbye") { ending != nil }
    #expect("\(String(describing: ending))".contains("BadCertificate"))
    #expect(try goodbye(to: identity, at: .development, of: client).contains("BadCertificate"))
    let new = try client.connect(to: port, as: try next.issue(.init(bundleIDs: [app])))
    #expect(try client.exchange(push(to: device.token), on: new).status == 200)

    changed.providers[place].clientCA = nil
    try development.gateway.reload(changed)
    let last = try client.exchange(push(to: device.token), on: new)
    #expect(last.status == 403 && String(decoding: last.body, as: UTF8.self).contains("takes no client certificates"))
  }
}
