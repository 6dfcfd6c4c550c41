import CMicroHTTPD

/// Owns one libmicrohttpd daemon, which serves one listening socket with a thread per connection: a call that blocks
/// holds up its own connection and no other, and the limit bounds the threads.
struct AdminDaemon: ~Copyable {
  static let connectionLimit = 32
  /// Places for those that ``AdminConnections`` has told to go and whose threads have not ended yet: where the library
  /// finds none, it closes whoever comes.
  private static let leavingLimit = 64
  static let timeoutSeconds: UInt32 = 10
  static let fileTimeoutSeconds: UInt32 = 120
  /// Bounds what a request's head may take; the library answers 431 to more.
  private static let connectionMemory = 32 << 10
  private static let stackBytes = 512 << 10

  private let raw: OpaquePointer
  /// The callbacks see it through an unretained pointer; it lives as long as the daemon runs.
  private let context: AdminCallbackContext

  /// Takes the socket over; nil when the library cannot start, and then the socket is still the caller's.
  init?(serving socket: AdminSocket, router: AdminRouter) {
    let context = AdminCallbackContext(router: router, isUnixSocket: socket.isUnixSocket)
    let started = gatewayd_mhd_start(
      socket.descriptor, UInt32(Self.connectionLimit + Self.leavingLimit), Self.timeoutSeconds, Self.connectionMemory,
      Self.stackBytes,
      adminRequestArrived, Unmanaged.passUnretained(context).toOpaque(), adminRequestCompleted,
      adminConnectionNoticed)
    guard let started else { return nil }
    raw = started
    self.context = context
  }

  /// Waits for running requests, closes everything, the listening socket as well.
  deinit { MHD_stop_daemon(raw) }
}
