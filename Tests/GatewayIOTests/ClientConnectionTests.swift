import GatewayIO
import Glibc
import Testing

/// Protects programs and tests from hanging on a server that is none: every request ends exactly once, with a reason.
@Suite("Client connection") struct ClientConnectionTests {
  /// What a request and its connection came to.
  private final class Outcome {
    var results: [Result<ClientResponse, ClientError>] = []
    var ends: [ClientError?] = []

    var failure: ClientError? {
      if case .failure(let error) = results.first { error } else { nil }
    }
  }

  /// Sends one request to a server that does as `serve` says with each accepted socket, until both have ended.
  private func ask(
    security: ClientConnection.Security = .cleartext, handshakeTimeout: Int64 = 10_000, serve: (Int32) -> Void
  ) throws -> Outcome {
    let loop = try EventLoop()
    let server = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
    let connection = try ClientConnection(
      loop: loop, address: server.address, security: security, handshakeTimeout: handshakeTimeout)
    let outcome = Outcome()
    connection.closed = { outcome.ends.append($0) }
    connection.send(ClientRequest(.get, "/")) { outcome.results.append($0) }
    connection.start()
    while outcome.ends.isEmpty {
      loop.turn(waitingAtMost: 10)
      let accepted = accept(server.raw, nil, nil)
      if accepted >= 0 { serve(accepted) }
    }
    connection.close()
    connection.send(ClientRequest(.get, "/")) { outcome.results.append($0) }
    #expect(outcome.ends.count == 1)
    #expect(outcome.results.count == 2)
    #expect(loop.registrationCount == 0)
    #expect(loop.timerCount == 0)
    return outcome
  }

  @Test("A server that says nothing is given up after the handshake's time") func silence() throws {
    let context = try TLSContext.client(trust: .system)
    let outcome = try ask(security: .tls(context, host: "localhost"), handshakeTimeout: 50) { _ in }
    #expect(outcome.failure == .handshakeTimedOut(milliseconds: 50))
  }

  @Test("A server that closes at once ends the request") func closing() throws {
    let outcome = try ask { close($0) }
    #expect(outcome.failure == .closedByPeer(goAway: nil))
  }

  @Test(
    "A server of another protocol ends the request",
    arguments: [
      "HTTP/1.1 400 Bad Request\r\n\r\n", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "SSH-2.0-x\r\n",
    ]) func otherProtocol(text: String) throws
  {
    let outcome = try ask { server in
      _ = Array(text.utf8).withUnsafeBytes { send(server, $0.baseAddress, $0.count, 0) }
      shutdown(server, Int32(SHUT_WR))
    }
    #expect(outcome.failure != nil)
  }

  @Test(
    "A port where nobody listens, and an address that is none, are told in a later turn",
    arguments: [
      SocketAddress.tcp(host: "127.0.0.1", port: 1), .unix(path: "/nonexistent/socket"),
      .tcp(host: "no-number", port: 1),
    ]) func unreachable(address: SocketAddress) throws
  {
    let loop = try EventLoop()
    let connection = try ClientConnection(loop: loop, address: address, security: .cleartext)
    var ends: [ClientError?] = []
    var results = 0
    connection.closed = { ends.append($0) }
    connection.send(ClientRequest(.get, "/")) { _ in results += 1 }
    connection.start()
    #expect(ends.isEmpty)
    while ends.isEmpty { loop.turn(waitingAtMost: 10) }
    guard case .unreachable = ends[0] else {
      Issue.record("\(String(describing: ends))")
      return
    }
    #expect(results == 1)
    #expect(loop.registrationCount == 0)
  }
}
