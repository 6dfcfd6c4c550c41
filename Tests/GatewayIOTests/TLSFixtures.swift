import GatewayIO
import Glibc

/// One authority for the whole test run: making it costs more than most tests.
enum TestAuthority {
  static let shared: Result<DevelopmentIdentity, TLSError> = Result { () throws(TLSError) -> DevelopmentIdentity in
    try DevelopmentAuthority.issue(wallSeconds: Int64(time(nil)))
  }

  static func serverContext() throws -> TLSContext {
    let identity = try shared.get()
    return try TLSContext.server(certificateChain: identity.serverCertificate, privateKey: identity.serverKey)
  }

  static func clientContext(
    protocols: [String] = ["h2"], maximumVersion: TLSVersion = .tls13
  ) throws -> TLSContext {
    try TLSContext.client(
      trust: .certificates(try shared.get().caCertificate), protocols: protocols, maximumVersion: maximumVersion)
  }
}

/// A server's and a client's transport over a socket pair, stepped in turn on one thread.
struct TransportPair {
  let server: Transport
  let client: Transport

  init(host: String = "localhost", server: TLSContext? = nil, client: TLSContext? = nil) throws {
    // As on every loop: SIGPIPE is blocked for this thread, and a peer that has gone is an error to read.
    _ = try EventLoop()
    let pair = try FileDescriptor.pair()
    let (first, second) = pair.released()
    self.server = try Transport(
      accepting: FileDescriptor(owning: first), context: try server ?? TestAuthority.serverContext())
    self.client = try Transport(
      connecting: FileDescriptor(owning: second), host: host, context: try client ?? TestAuthority.clientContext())
  }

  /// Steps both until each is done or has failed.
  func handshake() -> (server: TransportStep, client: TransportStep) {
    var serverStep = TransportStep.wouldBlockRead
    var clientStep = TransportStep.wouldBlockRead
    for _ in 0..<20 {
      if !clientStep.isFinal { clientStep = client.handshake() }
      if !serverStep.isFinal { serverStep = server.handshake() }
      if clientStep.isFinal, serverStep.isFinal { break }
    }
    return (serverStep, clientStep)
  }
}

extension TransportStep {
  var isFinal: Bool {
    switch self {
    case .wouldBlockRead, .wouldBlockWrite: false
    default: true
    }
  }

  var isDone: Bool { if case .done = self { true } else { false } }
  var isPeerClosed: Bool { if case .peerClosed = self { true } else { false } }
  var wouldBlock: Bool { !isFinal }
  var failure: TransportError? { if case .failed(let error) = self { error } else { nil } }
}

extension Transport {
  /// Reads until it would block; answers the bytes and the step that ended them.
  func readAll(chunk: Int = 16384) -> (bytes: [UInt8], last: TransportStep) {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: chunk)
    while true {
      let step = buffer.withUnsafeMutableBytes { read(into: $0) }
      guard case .done(let count) = step else { return (all, step) }
      all.append(contentsOf: buffer[..<count])
    }
  }

  func write(_ bytes: [UInt8]) -> TransportStep { bytes.withUnsafeBytes { write($0) } }
}
