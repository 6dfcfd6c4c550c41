import GatewayCore
import Glibc
import Testing

@testable import gatewayd

/// Protects who may ask what of a running gateway, and that a hostile or slow client costs it nothing else.
@Suite("Admin server") struct AdminServerTests {
  private static let token = "correct-horse-battery-staple"

  /// A server on a Unix socket and on TCP, for the length of `body`.
  private func serving(
    token: String? = token, _ body: (_ socket: RawHTTPClient, _ tcp: RawHTTPClient, FakeBackend) throws -> Void
  ) throws {
    let backend = FakeBackend()
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    var settings = GatewayConfiguration.Admin()
    settings.socket = folder.path + "/admin.sock"
    settings.listen = .tcp(host: "127.0.0.1", port: 0)
    settings.token = token.map { Secret($0) }
    let server = try AdminServer(settings, backend: backend)
    defer { server.stop() }
    try body(RawHTTPClient(address: server.addresses[0]), RawHTTPClient(address: server.addresses[1]), backend)
  }

  @Test(
    "On the socket every route answers without a token",
    arguments: [
      ("/healthz", "{\"alive\":true}\n"), ("/readyz", "{\"ready\":true}\n"),
      ("/metrics", "# HELP gatewayd_up Always 1.\n# TYPE gatewayd_up gauge\ngatewayd_up 1\n"),
      ("/v1/registrations", "{\"registrations\":[]}\n"),
      ("/v1/developer-mode", "{\"grants\":[]}\n"), ("/v1/developer-mode/audit", "{\"entries\":[]}\n"),
      ("/v1/explain/ABC", "{\"id\":\"ABC\",\"pushes\":[]}\n"),
      (
        "/v1/budgets/\(FakeBackend.token)",
        "{\"app\":\"a.b\",\"developerMode\":false,\"environment\":\"development\",\"token\":\"\(FakeBackend.token)\","
          + "\"widgets\":[]}\n"
      ),
    ]) func routes(path: String, body: String) throws
  {
    try serving { socket, _, _ in
      let answer = try #require(socket.send("GET", path))
      #expect(answer.status == 200)
      #expect(answer.body == body)
      #expect(answer.fields["cache-control"] == "no-store")
      let isText = path == "/metrics"
      #expect(
        answer.fields["content-type"] == (isText ? "text/plain; version=0.0.4; charset=utf-8" : "application/json"))
      let head = try #require(socket.send("HEAD", path))
      #expect(head.status == 200)
      #expect(head.body.isEmpty)
      #expect(head.fields["content-length"] == String(body.utf8.count))
    }
  }

  @Test("An export is sent in chunks, and one that cannot go on breaks off where all could see it")
  func streamed() throws {
    try serving { socket, _, backend in
      let whole = try #require(socket.send("GET", "/v1/registrations/export"))
      #expect(whole.status == 200)
      #expect(whole.fields["content-type"] == "application/jsonl")
      #expect(whole.fields["transfer-encoding"] == "chunked")
      #expect(whole.body.contains("{\"format\":1}\n"))
      #expect(whole.body.hasSuffix("0\r\n\r\n"))
      let broken = try #require(socket.send("GET", "/v1/registrations/export?app=breaks.off"))
      #expect(broken.body.contains("{\"format\":1}\n"))
      #expect(!broken.body.hasSuffix("0\r\n\r\n"))
      #expect(backend.calls == ["export -", "export breaks.off"])
    }
  }

  @Test("An import may be longer than other bodies, and has its own limit")
  func longImport() throws {
    try serving { socket, _, backend in
      let line = String(repeating: "x", count: 1 << 20) + "\n"
      let answer = try #require(
        socket.send("POST", "/v1/registrations/import?dry-run=true", body: line + line))
      #expect(answer.status == 200)
      #expect(answer.body.contains("\"refused\":1"))
      #expect(backend.calls == ["import \(2 * (1 << 20) + 2) true by uid \(getuid())"])
      let long = try #require(
        socket.send(
          "POST", "/v1/registrations/import", fields: ["host: localhost", "content-length: 4194305"]))
      #expect(long.status == 413)
      #expect(socket.send("POST", "/v1/registrations/import?dry-run=perhaps", body: "")?.status == 422)
      #expect(socket.send("GET", "/v1/registrations/import")?.status == 405)
    }
  }

  @Test(
    "A sweep says what is wrong with it",
    arguments: [
      (#"{"olderThanSeconds":7776000,"who":"ada","dryRun":true}"#, 200), (#"{"olderThanSeconds":7776000}"#, 400),
      (#"{"olderThanSeconds":"90d","who":"ada"}"#, 400), (#"{"older-than":1,"who":"ada"}"#, 422), ("", 400),
      (#"{"olderThanSeconds":7776000,"who":""}"#, 422),
    ]) func sweep(body: String, status: Int) throws
  {
    try serving { socket, _, backend in
      let answer = try #require(socket.send("POST", "/v1/registrations/sweep", body: body))
      #expect(answer.status == status, "\(answer.body)")
      #expect(backend.calls == (status == 200 ? ["sweep 7776000 - true by ada"] : []))
    }
  }

  @Test("On TCP health, readiness and metrics are open, and the rest needs the token") func tcp() throws {
    try serving { _, tcp, backend in
      for path in ["/healthz", "/readyz", "/metrics"] { #expect(tcp.send("GET", path)?.status == 200) }
      let refused = try #require(tcp.send("GET", "/v1/status"))
      #expect(refused.status == 401)
      #expect(refused.fields["www-authenticate"] == "Bearer")
      #expect(refused.body.hasPrefix("{\"detail\":"))
      #expect(refused.body.contains("\"error\":\"unauthorized\""))
      // What is there is not told either.
      #expect(tcp.send("GET", "/v1/nothing")?.status == 401)
      #expect(backend.calls.isEmpty)
      for scheme in ["Bearer", "bearer"] {
        let answer = tcp.send(
          "GET", "/v1/status", fields: ["host: localhost", "authorization: \(scheme) \(Self.token)"])
        #expect(answer?.status == 200)
      }
      for wrong in ["Bearer \(Self.token)x", "Bearer x", "Bearer ", "Basic \(Self.token)", Self.token] {
        for path in ["/v1/status", "/healthz"] {
          let answer = tcp.send("GET", path, fields: ["host: localhost", "authorization: \(wrong)"])
          #expect(answer?.status == 401, "\(wrong) \(path)")
        }
      }
      let twice = ["host: localhost", "authorization: Bearer \(Self.token)", "authorization: Bearer x"]
      #expect(tcp.send("GET", "/v1/status", fields: twice)?.status == 401)
    }
  }

  @Test("Without a configured token TCP serves nothing but the open routes") func noToken() throws {
    try serving(token: nil) { _, tcp, _ in
      #expect(tcp.send("GET", "/healthz")?.status == 200)
      #expect(tcp.send("GET", "/v1/status")?.status == 401)
      #expect(tcp.send("GET", "/v1/status", fields: ["host: localhost", "authorization: Bearer "])?.status == 401)
    }
  }

  @Test("A foreign Host is refused on TCP unless the token is there (DNS rebinding)") func rebinding() throws {
    try serving { socket, tcp, _ in
      for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.1:x", "10.0.0.1"] {
        let answer = try #require(tcp.send("GET", "/metrics", fields: ["host: \(host)"]))
        #expect(answer.status == 403, "\(host)")
        #expect(answer.body.contains("host-not-allowed"))
      }
      for host in ["localhost", "LocalHost:9197", "127.0.0.1", "127.9.9.9:80", "[::1]", "[::1]:9197"] {
        #expect(tcp.send("GET", "/metrics", fields: ["host: \(host)"])?.status == 200, "\(host)")
      }
      #expect(tcp.send("GET", "/metrics", fields: ["host: localhost", "host: localhost"])?.status == 403)
      let bearer = ["host: push.example", "authorization: Bearer \(Self.token)"]
      #expect(tcp.send("GET", "/v1/status", fields: bearer)?.status == 200)
      #expect(socket.send("GET", "/v1/status", fields: ["host: anything"])?.status == 200)
    }
  }

  @Test(
    "A wrong method names the right ones, a wrong path and a wrong parameter are said",
    arguments: [
      ("POST", "/v1/status", 405, "GET, HEAD"), ("GET", "/v1/budgets/ab/reset", 405, "POST"),
      ("POST", "/v1/developer-mode", 405, "GET, HEAD, PUT, DELETE"), ("DELETE", "/healthz", 405, "GET, HEAD"),
      ("GET", "/", 404, nil), ("GET", "/v1", 404, nil), ("GET", "/v1/registrations/", 404, nil),
      ("GET", "/v1/registrations/a/b", 404, nil), ("GET", "/healthz/", 404, nil), ("GET", "/v2/status", 404, nil),
      ("GET", "/v1/registrations?ap=x", 400, nil), ("GET", "/v1/registrations?limit=0", 422, nil),
      ("GET", "/v1/registrations?limit=1&limit=2", 422, nil), ("GET", "/v1/registrations?app=%1b", 422, nil),
      ("DELETE", "/v1/developer-mode", 422, nil), ("DELETE", "/v1/developer-mode?app=a&device=b", 422, nil),
      ("GET", "/v1/registrations/ff", 404, nil),
    ]) func refusals(method: String, target: String, status: Int, allow: String?) throws
  {
    try serving { socket, _, _ in
      let answer = try #require(socket.send(method, target))
      #expect(answer.status == status)
      #expect(answer.fields["allow"] == allow)
      #expect(answer.body.contains("\"error\":") && answer.body.contains("\"detail\":"))
    }
  }

  @Test("Writes reach the gateway with the peer's uid") func writes() throws {
    try serving { socket, tcp, backend in
      let uid = getuid()
      let grant = #"{"app":"a.b","seconds":60,"who":"ada","why":"layout"}"#
      #expect(socket.send("PUT", "/v1/developer-mode", body: grant)?.status == 200)
      let bearer = ["host: localhost", "authorization: Bearer \(Self.token)"]
      #expect(tcp.send("PUT", "/v1/developer-mode", fields: bearer, body: grant)?.status == 200)
      #expect(socket.send("POST", "/v1/budgets/\(FakeBackend.token)/reset")?.status == 200)
      #expect(
        socket.send("POST", "/v1/budgets/\(FakeBackend.token)/reset", body: #"{"who":"ada","why":"x"}"#)?.status == 200)
      let ended = try #require(socket.send("DELETE", "/v1/developer-mode?app=a.b&who=ada"))
      #expect(ended.status == 204)
      #expect(ended.body.isEmpty)
      #expect(socket.send("GET", "/v1/registrations?limit=7&after=ab&app=a.b")?.status == 200)
      #expect(
        backend.calls == [
          "grant a.b 60 uid \(uid)", "grant a.b 60 uid -", "reset by uid \(uid) (no reason given), uid \(uid)",
          "reset by ada (x), uid \(uid)", "end a.b - by ada", "registrations 7 ab a.b",
        ])
    }
  }

  @Test(
    "A wrong sweep is told what is wrong with it",
    arguments: [
      (#"{"who":"ada"}"#, "'olderThanSeconds' is missing"),
      (#"{"olderThanSeconds":86400.5,"who":"ada"}"#, "'olderThanSeconds' must be a whole number"),
      (#"{"olderThanSeconds":1e30,"who":"ada"}"#, "'olderThanSeconds' must be a whole number"),
      (#"{"olderThanSeconds":86400,"dryRun":"no","who":"ada"}"#, "'dryRun' must be true or false"),
    ]) func sweeps(body: String, detail: String) throws
  {
    try serving { socket, _, backend in
      let answer = try #require(socket.send("POST", "/v1/registrations/sweep", body: body))
      #expect(answer.status == 400)
      #expect(answer.body.contains(detail), "\(answer.body)")
      #expect(backend.calls.isEmpty)
    }
  }

  @Test(
    "A wrong body is told what is wrong with it",
    arguments: [
      ("", 400, "JSON object"), ("[]", 400, "JSON object"), ("{", 400, "JSON object"),
      (#"{"app":"a.b","seconds":60,"who":"ada"}"#, 400, "'why' is missing"),
      (#"{"app":"a.b","seconds":"60","who":"ada","why":"x"}"#, 400, "'seconds' must be a number"),
      (#"{"app":"a.b","second":60,"who":"ada","why":"x"}"#, 422, "unknown key 'second'"),
      (#"{"seconds":60,"who":"ada","why":"x"}"#, 422, "exactly one"),
      (#"{"app":"a","device":"b","seconds":60,"who":"ada","why":"x"}"#, 422, "exactly one"),
      (#"{"app":"a","seconds":0,"who":"ada","why":"x"}"#, 422, "at least 1"),
      (#"{"app":"a","seconds":60,"who":"","why":"x"}"#, 422, "'who' must have"),
      (#"{"app":"a","seconds":60,"who":"ada","why":"a\nb"}"#, 422, "'why' must have"),
      (#"{"app":"a","seconds":3601,"who":"ada","why":"x"}"#, 403, "longest is 1h"),
      (#"{"app":"a","seconds":1.5,"who":"ada","why":"x"}"#, 400, "'seconds' must be a whole number"),
      (#"{"app":"a","seconds":1e30,"who":"ada","why":"x"}"#, 400, "'seconds' must be a whole number"),
      (#"{"app":"a","seconds":60,"who":"\u202eada","why":"x"}"#, 422, "'who' must have"),
      (#"{"app":"a","seconds":60,"who":"ada","why":"x\u200b"}"#, 422, "'why' must have"),
    ]) func bodies(body: String, status: Int, detail: String) throws
  {
    try serving { socket, _, _ in
      let answer = try #require(socket.send("PUT", "/v1/developer-mode", body: body))
      #expect(answer.status == status)
      #expect(answer.body.contains(detail), "\(answer.body)")
    }
  }

  @Test("A body over 64 KiB is refused before it is read, announced or not") func largeBodies() throws {
    try serving { socket, _, backend in
      let target = "/v1/developer-mode"
      #expect(socket.send("PUT", target, fields: ["host: x", "content-length: 65537"])?.status == 413)
      let chunk = "4000\r\n" + String(repeating: "a", count: 0x4000) + "\r\n"
      let head = "PUT \(target) HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n"
      #expect(socket.exchange(head + String(repeating: chunk, count: 5) + "0\r\n\r\n")?.status == 413)
      // Endless: the connection ends without an answer.
      #expect(socket.exchange(head + String(repeating: chunk, count: 200)) == nil)
      let largest = #"{"app":"a","seconds":60,"who":"ada","why":"x"}"#
      let padded = largest + String(repeating: " ", count: 65_536 - largest.utf8.count)
      #expect(socket.send("PUT", target, body: padded)?.status == 200)
      #expect(backend.calls.count == 1)
    }
  }

  @Test(
    "Malformed requests get an HTTP answer or a closed connection, and the server lives on",
    arguments: [
      "GARBAGE\r\n\r\n", "GET /healthz\r\n\r\n", "GET /healthz HTTP/1.1\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999999999999999\r\n\r\n",
      "GET /" + String(repeating: "a", count: 100_000) + " HTTP/1.1\r\nhost: x\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nhost: x\r\nx: " + String(repeating: "a", count: 100_000) + "\r\n\r\n",
      "GET /%00%ff%zz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", "\0\0\0\0\r\n\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ]) func malformed(text: String) throws
  {
    try serving { socket, _, backend in
      let descriptor = try #require(socket.connected())
      _ = Array(text.utf8).withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      shutdown(descriptor, Int32(SHUT_WR))
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(descriptor, &buffer, buffer.count)
      if count > 0 {
        let answer = String(decoding: buffer[..<count], as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.") && !answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
      }
      close(descriptor)
      #expect(backend.calls.isEmpty)
      #expect(socket.send("GET", "/healthz")?.status == 200)
    }
  }

  @Test("Readiness turns false with its reason") func readiness() throws {
    try serving { _, tcp, backend in
      backend.drain()
      let answer = try #require(tcp.send("GET", "/readyz"))
      #expect(answer.status == 503)
      #expect(answer.body == "{\"ready\":false,\"why\":\"draining\"}\n")
      #expect(tcp.send("GET", "/healthz")?.status == 200)
    }
  }

  @Test("While every backend call blocks, health answers and further calls are refused") func blocked() throws {
    try serving { socket, _, backend in
      backend.close()
      var waiting: [Int32] = []
      for _ in 0..<AdminRouter.maximumBackendCalls {
        let descriptor = try #require(socket.connected())
        let request = Array("GET /v1/status HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".utf8)
        _ = request.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
        waiting.append(descriptor)
      }
      while backend.calls.count < AdminRouter.maximumBackendCalls { yieldBriefly() }
      #expect(socket.send("GET", "/healthz")?.status == 200)
      #expect(socket.send("GET", "/readyz")?.status == 200)
      #expect(socket.send("GET", "/v1/status")?.status == 503)
      backend.open()
      for descriptor in waiting {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &buffer, buffer.count)
        #expect(String(decoding: buffer[..<max(0, count)], as: UTF8.self).hasPrefix("HTTP/1.1 200"))
        close(descriptor)
      }
      #expect(socket.send("GET", "/v1/status")?.status == 200)
    }
  }
}
