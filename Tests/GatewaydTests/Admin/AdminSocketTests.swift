import GatewayCore
import Glibc
import Testing

@testable import gatewayd

/// Protects the socket's file: never wider than its mode, never another process's, never left over.
@Suite("Admin socket") struct AdminSocketTests {
  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode : nil
  }

  @Test("The socket's file has mode 0660 and is gone after stop") func file() throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path + "/s"
    let server = try AdminServer(.init(socket: path), backend: FakeBackend())
    #expect(mode(path) == S_IFSOCK | 0o660)
    server.stop()
    #expect(mode(path) == nil)
  }

  @Test("A stale file is replaced, a served one and a plain file are left alone") func stale() throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path + "/s"
    let crashed = try AdminSocket.listen(on: .unix(path: path))
    close(crashed.descriptor)
    #expect(mode(path) != nil)
    let server = try AdminServer(.init(socket: path), backend: FakeBackend())
    #expect(throws: AdminSocketError.self) { try AdminServer(.init(socket: path), backend: FakeBackend()) }
    #expect(RawHTTPClient(address: .unix(path: path)).send("GET", "/healthz")?.status == 200)
    // The crashed one's end must not take the newer one's file with it.
    crashed.file?.removeIfOurs()
    #expect(mode(path) != nil)
    server.stop()

    let plain = folder.path + "/plain"
    close(open(plain, O_CREAT | O_WRONLY, 0o600))
    #expect(
      throws: AdminSocketError("[admin] socket \(plain) is there and is no socket: remove it or choose another path")
    ) {
      try AdminSocket.listen(on: .unix(path: plain))
    }
    #expect(mode(plain) == S_IFREG | 0o600)
  }

  @Test(
    "What cannot be listened on is named with its mend",
    arguments: [
      (
        ListenAddress.unix(path: "/nonexistent/x.sock"),
        "[admin] cannot listen on /nonexistent/x.sock: No such file or directory: make its directory first"
          + " (systemd does with RuntimeDirectory=gatewayd)"
      ),
      (
        .unix(path: "/tmp/" + String(repeating: "a", count: 200)),
        "[admin] socket /tmp/\(String(repeating: "a", count: 200)): the path is too long for a Unix socket,"
          + " use a shorter one"
      ),
      (.tcp(host: "localhost", port: 0), "[admin] listen: localhost is no numeric address"),
    ]) func errors(address: ListenAddress, message: String)
  {
    #expect(throws: AdminSocketError(message)) { try AdminSocket.listen(on: address) }
  }

  @Test("A port in use is named, and the socket made before it is taken back") func portInUse() throws {
    let first = try AdminSocket.listen(on: .tcp(host: "127.0.0.1", port: 0))
    defer { first.close() }
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path + "/s"
    do {
      try AdminServer(.init(socket: path, listen: first.address), backend: FakeBackend()).stop()
      Issue.record("it listens on a port in use")
    } catch {
      #expect(error.description.hasPrefix("[admin] cannot listen on \(first.address): Address already in use"))
    }
    #expect(mode(path) == nil)
  }

  @Test("An address that is not loopback is not served without a token") func nonLoopback() throws {
    let address = ListenAddress.tcp(host: "0.0.0.0", port: 0)
    do {
      try AdminServer(.init(listen: address), backend: FakeBackend()).stop()
      Issue.record("it serves everyone without a token")
    } catch {
      #expect(error.description.contains("set [admin] token-file"))
    }
    let server = try AdminServer(.init(listen: address, token: Secret("x")), backend: FakeBackend())
    server.stop()
  }
}
