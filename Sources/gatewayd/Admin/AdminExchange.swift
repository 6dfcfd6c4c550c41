/// One request on its way through libmicrohttpd, which holds it from the request line to completion. Only its
/// connection's thread touches it.
final class AdminExchange {
  var request: AdminRequest
  private(set) var isTooLarge = false
  /// Bytes of a body that is too large and has no announced length.
  private var ignored = 0
  private let maximumBodyBytes: Int

  init(request: AdminRequest) {
    self.request = request
    maximumBodyBytes = AdminRouter.maximumBodyBytes(of: request)
  }

  /// - Returns: false when the client goes on sending what nobody will read: end the connection.
  func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if isTooLarge || request.body.count + bytes.count > maximumBodyBytes {
      isTooLarge = true
      request.body = []
      ignored += bytes.count
      return ignored <= 16 * maximumBodyBytes
    }
    request.body += bytes
    return true
  }
}
