import GatewayIO
import Glibc
import Testing

/// Protects laptops that trust the development authority: other programs accept its certificate for its names, and it
/// can vouch for nothing else.
@Suite("Development authority") struct TLSDevelopmentAuthorityTests {
  @Test(
    "The openssl command verifies the certificate with its strictest rules",
    arguments: [
      ["-verify_hostname", "localhost"], ["-verify_hostname", "api.push.apple.com"], ["-verify_ip", "127.0.0.1"],
      ["-verify_ip", "::1"],
    ])
  func strict(check: [String]) throws {
    let files = try Files()
    let arguments = ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", files.ca] + check + [files.server]
    #expect(run("openssl", arguments) == 0)
  }

  @Test(
    "It refuses the certificate for other names",
    arguments: [
      ["-verify_hostname", "www.apple.com"], ["-verify_ip", "127.0.0.2"],
    ])
  func strictRefusal(check: [String]) throws {
    let files = try Files()
    #expect(run("openssl", ["verify", "-CAfile", files.ca] + check + [files.server]) != 0)
  }

  @Test("Python's ssl module, in its strict mode, completes a handshake")
  func python() throws {
    let files = try Files()
    let script = """
      import ssl, sys
      ca, cert, key = sys.argv[1:]
      client = ssl.create_default_context(cafile=ca)
      client.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
      server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      server.load_cert_chain(cert, key)
      a, b, c, d = (ssl.MemoryBIO() for _ in range(4))
      s = server.wrap_bio(a, b, server_side=True)
      k = client.wrap_bio(c, d, server_hostname="api.development.push.apple.com")
      done = set()
      for _ in range(6):
        for side in (k, s):
          try:
            side.do_handshake()
            done.add(side)
          except ssl.SSLWantReadError:
            pass
        a.write(d.read())
        c.write(b.read())
      sys.exit(0 if len(done) == 2 else 1)
      """
    #expect(run("python3", ["-c", script, files.ca, files.server, files.key]) == 0)
  }

  @Test("Another certificate cannot be issued: the authority's key is nowhere in what is handed out")
  func keyIsGone() throws {
    let identity = try TestAuthority.shared.get()
    let text = String(decoding: identity.caCertificate + identity.serverCertificate, as: UTF8.self)
    #expect(!text.contains("PRIVATE KEY"))
    #expect(throws: TLSError.self) {
      try TLSContext.server(certificateChain: identity.caCertificate, privateKey: identity.serverKey)
    }
  }

  @Test("Validity begins an hour before now and lasts for less than 825 days")
  func validity() throws {
    let files = try Files()
    let day: Int64 = 86400
    func valid(at offset: Int64) -> Bool {
      run("openssl", ["verify", "-attime", "\(files.issued + offset)", "-CAfile", files.ca, files.server]) == 0
    }
    #expect(valid(at: -3599))
    #expect(!valid(at: -3700))
    #expect(valid(at: 823 * day))
    #expect(!valid(at: 825 * day))
  }

  /// The identity as files for other programs.
  private final class Files {
    private let scratch = ScratchDirectory()
    let ca: String
    let server: String
    let key: String
    let issued: Int64

    init() throws {
      issued = Int64(time(nil))
      let identity = try DevelopmentAuthority.issue(wallSeconds: issued)
      ca = "\(scratch.path)/ca.pem"
      server = "\(scratch.path)/server.pem"
      key = "\(scratch.path)/server.key"
      for (path, bytes) in [
        (ca, identity.caCertificate), (server, identity.serverCertificate), (key, identity.serverKey),
      ] {
        let file = FileDescriptor(owning: open(path, O_CREAT | O_WRONLY | O_TRUNC, 0o600))
        send(String(decoding: bytes, as: UTF8.self), over: file)
      }
    }
  }

  /// Runs a program without a word and says how it ended.
  private func run(_ program: String, _ arguments: [String]) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var strings: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    strings.append(nil)
    defer { strings.forEach { free($0) } }
    var process = pid_t()
    guard posix_spawnp(&process, program, &actions, nil, strings, environ) == 0 else { return -1 }
    var status: Int32 = 0
    waitpid(process, &status, 0)
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
  }
}
