import CMicroHTTPD
import GatewayReports
import Glibc

// What libmicrohttpd calls, on the thread of the connection: translate, ask the router, queue its answer.

/// What a daemon's callbacks need; the daemon's owner keeps it alive until the daemon has stopped.
final class AdminCallbackContext: Sendable {
  let router: AdminRouter
  let isUnixSocket: Bool
  let connections = AdminConnections(limit: AdminDaemon.connectionLimit)

  init(router: AdminRouter, isUnixSocket: Bool) {
    self.router = router
    self.isUnixSocket = isUnixSocket
  }
}

/// Called once with the head, then for each part of the body, then once more when the request is whole.
func adminRequestArrived(
  context: UnsafeMutableRawPointer?, connection: OpaquePointer?, url: UnsafePointer<CChar>?,
  method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, data: UnsafePointer<CChar>?,
  size: UnsafeMutablePointer<Int>?, slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let context, let connection, let url, let method, let size, let slot else { return .NO }
  let shared = Unmanaged<AdminCallbackContext>.fromOpaque(context).takeUnretainedValue()
  guard let known = slot.pointee else {
    let exchange = AdminExchange(request: head(url: url, method: method, connection: connection, shared: shared))
    slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
    return shared.router.refusal(of: exchange.request).map { queue($0, on: connection) } ?? .YES
  }
  let exchange = Unmanaged<AdminExchange>.fromOpaque(known).takeUnretainedValue()
  if size.pointee > 0 {
    let bytes = UnsafeRawBufferPointer(start: data, count: size.pointee)
    size.pointee = 0
    return exchange.append(bytes) ? .YES : .NO
  }
  // Until it is answered whole: an export is sent for longer than it is asked for.
  shared.connections.serving(UInt(bitPattern: gatewayd_mhd_socket_context(connection)), true)
  return queue(
    exchange.isTooLarge ? AdminRouter.bodyTooLarge(for: exchange.request) : shared.router.answer(exchange.request),
    on: connection)
}

/// Called when a connection has begun, and when it has ended; its descriptor is closed by then.
func adminConnectionNoticed(
  context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
  slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, code: MHD_ConnectionNotificationCode
) {
  guard let context, let connection, let slot else { return }
  let shared = Unmanaged<AdminCallbackContext>.fromOpaque(context).takeUnretainedValue()
  if code == .CONNECTION_NOTIFY_STARTED {
    // A number and no address: it is only carried.
    slot.pointee = UnsafeMutableRawPointer(
      bitPattern: shared.connections.began(gatewayd_mhd_socket(connection)))
  } else {
    shared.connections.ended(UInt(bitPattern: slot.pointee))
  }
}

/// Called exactly once for each request whose head has been seen, however it ended.
func adminRequestCompleted(
  context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
  slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, code: MHD_RequestTerminationCode
) {
  guard let slot, let known = slot.pointee else { return }
  if let context, let connection {
    let shared = Unmanaged<AdminCallbackContext>.fromOpaque(context).takeUnretainedValue()
    shared.connections.serving(UInt(bitPattern: gatewayd_mhd_socket_context(connection)), false)
  }
  Unmanaged<AdminExchange>.fromOpaque(known).release()
  slot.pointee = nil
}

private func head(
  url: UnsafePointer<CChar>, method: UnsafePointer<CChar>, connection: OpaquePointer, shared: AdminCallbackContext
) -> AdminRequest {
  let origin: AdminRequest.Origin =
    shared.isUnixSocket ? .socket(peerUID: peerUID(of: gatewayd_mhd_socket(connection))) : .tcp
  var request = AdminRequest(origin: origin, method: String(cString: method), path: String(cString: url))
  withUnsafeMutablePointer(to: &request) { pointer in
    _ = MHD_get_connection_values(connection, .GET_ARGUMENT_KIND, collectParameter, pointer)
    _ = MHD_get_connection_values(connection, .HEADER_KIND, collectField, pointer)
  }
  return request
}

private func collectParameter(
  context: UnsafeMutableRawPointer?, kind: MHD_ValueKind, name: UnsafePointer<CChar>?, value: UnsafePointer<CChar>?
) -> MHD_Result {
  guard let request = context?.assumingMemoryBound(to: AdminRequest.self), let name else { return .NO }
  request.pointee.query.append((String(cString: name), value.map { String(cString: $0) } ?? ""))
  return .YES
}

private func collectField(
  context: UnsafeMutableRawPointer?, kind: MHD_ValueKind, name: UnsafePointer<CChar>?, value: UnsafePointer<CChar>?
) -> MHD_Result {
  guard let request = context?.assumingMemoryBound(to: AdminRequest.self), let name, let value else { return .NO }
  switch String(cString: name).lowercased() {
  case "host": request.pointee.hosts.append(String(cString: value))
  case "authorization": request.pointee.authorizations.append(String(cString: value))
  case "content-length": request.pointee.contentLength = request.pointee.contentLength ?? String(cString: value)
  default: break
  }
  return .YES
}

private func queue(_ answer: AdminAnswer, on connection: OpaquePointer) -> MHD_Result {
  let created: OpaquePointer?
  var isEmpty = false
  switch answer.body {
  case .bytes(let bytes):
    isEmpty = bytes.isEmpty
    created = bytes.withUnsafeBytes { bytes in
      // The library copies, and so does not write; its parameter is only not const.
      MHD_create_response_from_buffer(
        bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
    }
  case .lines(let stream): created = streamed(stream)
  case .file(let file): created = sent(file, on: connection)
  }
  guard let response = created else { return .NO }
  defer { MHD_destroy_response(response) }
  if !isEmpty { _ = MHD_add_response_header(response, "content-type", answer.contentType) }
  // Tokens and budgets are nobody's to keep.
  _ = MHD_add_response_header(response, "cache-control", "no-store")
  for (name, value) in answer.fields { _ = MHD_add_response_header(response, name, value) }
  return MHD_queue_response(connection, UInt32(answer.status), response)
}

/// A file as the body; its descriptor is closed with the response.
private func sent(_ file: BackupFile, on connection: OpaquePointer) -> OpaquePointer? {
  // A reader may stop for longer while it writes so much to a disk of its own.
  gatewayd_mhd_set_timeout(connection, AdminDaemon.fileTimeoutSeconds)
  let response = MHD_create_response_from_fd64(UInt64(file.bytes), file.descriptor)
  if response == nil { close(file.descriptor) }
  return response
}

/// A body that is made while it is sent, in chunks. Where it fails it breaks off, and the client knows that it is not whole.
private func streamed(_ stream: AdminStream) -> OpaquePointer? {
  MHD_create_response_from_callback(
    UInt64.max, 64 << 10, readStream, Unmanaged.passRetained(stream).toOpaque(), releaseStream)
}

private func readStream(
  context: UnsafeMutableRawPointer?, position: UInt64, buffer: UnsafeMutablePointer<CChar>?, size: Int
) -> Int {
  guard let context, let buffer else { return -2 }
  let room = UnsafeMutableRawBufferPointer(start: buffer, count: size)
  switch Unmanaged<AdminStream>.fromOpaque(context).takeUnretainedValue().read(into: room) {
  case .some(0): return -1  // MHD_CONTENT_READER_END_OF_STREAM
  case .some(let count): return count
  case nil: return -2  // MHD_CONTENT_READER_END_WITH_ERROR
  }
}

private func releaseStream(context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<AdminStream>.fromOpaque(context).release()
}

/// From the kernel, so the peer cannot choose it.
private func peerUID(of descriptor: Int32) -> UInt32? {
  // `struct ucred`, which Glibc's module hides: pid, uid, gid.
  var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
  var length = socklen_t(MemoryLayout.size(ofValue: credentials))
  guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
  return credentials.uid
}
