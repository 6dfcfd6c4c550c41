import GatewayCore
import TokenStore

/// Where the gateway listens, and with which certificate.
extension ConfigurationAssembly {
  mutating func providers() -> [GatewayConfiguration.ProviderListener] {
    all(.provider).map { content in
      let clientCA = readFile(.providerClientCA, in: content, as: .certificate)
      outline.clientCAFiles.append(clientCA?.path)
      let listener = GatewayConfiguration.ProviderListener(
        listen: address(.providerListen, in: content) ?? .tcp(host: "::", port: 2197),
        environment: content.choice(.providerEnvironment) ?? .development,
        cleartext: content.flag(.providerCleartext) ?? false, clientCA: clientCA?.bytes,
        idleTimeout: content.duration(.providerIdleTimeout) ?? .seconds(3600))
      if listener.cleartext, !listener.listen.isLocal, !content.faulty.contains(.providerListen) {
        refuse(
          .providerCleartext, in: content,
          "expected false, for \(listener.listen) can be reached from outside; listen on 127.0.0.1, [::1] or unix:")
      }
      if listener.cleartext, clientCA != nil {
        refuse(
          .providerClientCA, in: content,
          "expected none, for without TLS nobody can show a certificate; remove it or cleartext = true")
      }
      return listener
    }
  }

  mutating func device() -> GatewayConfiguration.DeviceListener? {
    guard let content = first(.device) else { return nil }
    let standard = GatewayConfiguration.DeviceListener()
    return .init(
      listen: address(.deviceListen, in: content) ?? standard.listen,
      heartbeat: content.duration(.deviceHeartbeat) ?? standard.heartbeat)
  }

  mutating func admin() -> GatewayConfiguration.Admin {
    guard let content = first(.admin) else {
      warn(nil, nil, "no [admin] section, so gatewayctl, health checks and Prometheus cannot reach this gateway")
      return .init()
    }
    var admin = GatewayConfiguration.Admin()
    if !content.isNothing(.adminSocket) {
      let path = folder.resolve(content.text(.adminSocket) ?? "/run/gatewayd/admin.sock")
      checkSocketPath(path, .adminSocket, in: content)
      admin.socket = path
    }
    if !content.isNothing(.adminListen) {
      let listen = content.address(.adminListen) ?? .tcp(host: "127.0.0.1", port: 9197)
      if case .unix = listen {
        refuse(.adminListen, in: content, "expected a numeric address and port; the Unix socket's key is admin.socket")
      } else if !listen.isLocal, content.text(.adminTokenFile) == nil {
        refuse(
          .adminListen, in: content,
          "expected a loopback address, for \(listen) can be reached from outside and there is no admin.token-file")
      }
      admin.listen = listen
    }
    if let (path, bytes) = readFile(.adminTokenFile, in: content, as: .bearer) {
      outline.adminTokenFile = path
      admin.token = Secret(String(decoding: bytes, as: UTF8.self))
    }
    outline.adminSocket = admin.socket
    outline.adminListen = admin.listen
    return admin
  }

  mutating func tls() -> GatewayConfiguration.TLSIdentity? {
    guard let content = first(.tls) else { return nil }
    outline.caFile = content.text(.tlsCA).map { folder.resolveSecret($0) }
    let certificate = readFile(.tlsCertificate, in: content, as: .certificate)
    let key = readFile(.tlsKey, in: content, as: .privateKey)
    outline.certificateFile = certificate?.path
    outline.privateKeyFile = key?.path
    switch (certificate, key) {
    case (let certificate?, let key?):
      return .init(certificateChain: certificate.bytes, privateKey: Secret(key.bytes))
    case (.some, nil) where !content.faulty.contains(.tlsKey):
      refuse(content.line, .tlsKey, "is missing: the certificate needs its private key")
    case (nil, .some) where !content.faulty.contains(.tlsCertificate):
      refuse(content.line, .tlsCertificate, "is missing: the private key needs its certificate")
    default: break
    }
    return nil
  }

  private mutating func address(_ key: ConfigurationKey, in content: SectionContent) -> ListenAddress? {
    guard case .unix(let path)? = content.address(key) else { return content.address(key) }
    let absolute = folder.resolve(path)
    checkSocketPath(absolute, key, in: content)
    return .unix(path: absolute)
  }

  private mutating func checkSocketPath(_ path: String, _ key: ConfigurationKey, in content: SectionContent) {
    guard path.utf8.count > ListenAddress.maximumUnixPathCount else { return }
    refuse(
      key, in: content,
      "expected a path of at most \(ListenAddress.maximumUnixPathCount) bytes, which is all that a Unix socket's "
        + "address holds; \(path) has \(path.utf8.count)")
  }

  /// What listeners mean together.
  mutating func checkListeners(_ gateway: GatewayConfiguration) {
    var taken: [ListenAddress: Int] = [:]
    let provider = all(.provider).map { ($0, ConfigurationKey.providerListen) }
    let listeners =
      zip(provider, gateway.providers.map(\.listen)).map { ($0.0, $0.1, $1) }
      + zip(all(.device), [gateway.device?.listen].compactMap(\.self)).map { ($0, .deviceListen, $1) }
      + zip(all(.admin), [gateway.admin.listen].compactMap(\.self)).map { ($0, .adminListen, $1) }
      + zip(all(.admin), [gateway.admin.socket].compactMap(\.self)).map { ($0, .adminSocket, .unix(path: $1)) }
    for (content, key, address) in listeners where !content.faulty.contains(key) {
      if case .tcp(_, 0) = address { continue }
      if let other = taken.updateValue(content.line(of: key), forKey: address) {
        refuse(key, in: content, "expected an address of its own; line \(other) listens on \(address) too")
      }
    }
    if gateway.providers.isEmpty, gateway.device == nil {
      refuse(nil, nil, "there is no listener: add a [[provider]] for backends and a [device] for devices")
      return
    }
    let encrypted = zip(all(.provider), gateway.providers).filter { !$1.cleartext }.map(\.0) + all(.device)
    if let encrypted = encrypted.first, gateway.tls == nil, first(.tls)?.entries.isEmpty ?? true,
      first(.tls)?.faulty.isEmpty ?? true
    {
      refuse(
        first(.tls)?.line ?? encrypted.line, .tlsCertificate,
        "is missing: \(encrypted.section.header) needs [tls] with certificate and key; gatewayd init makes some for a "
          + "laptop")
    }
    for (content, listener) in zip(all(.provider), gateway.providers)
    where listener.clientCA == nil
      && !gateway.providerKeys.contains(where: { $0.environment == listener.environment })
    {
      warn(
        content.line, nil,
        "no [[provider-key]] for \(listener.environment.rawValue), so every push on \(listener.listen) is refused")
    }
    if gateway.device != nil, gateway.enrolments.isEmpty {
      warn(first(.device)?.line, nil, "no [[enrolment]], so no further device can enrol")
    }
  }
}
