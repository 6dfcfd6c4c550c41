import CCurl

/// Owns one libcurl transfer.
struct CurlHandle: ~Copyable {
  /// What the answer was, or why there is none.
  enum Outcome {
    case answered(status: Int, body: [UInt8])
    /// - Parameter errno: 0 where the failure has none.
    case failed(code: CURLcode, errno: Int32, text: String)
  }

  /// More than any report has; a server that sends more is not ours.
  static let maximumBodyBytes = 64 << 20

  private final class Sink {
    var bytes: [UInt8] = []
    let receive: ((UnsafeRawBufferPointer) -> Bool)?
    private let handle: UnsafeMutableRawPointer

    init(_ handle: UnsafeMutableRawPointer, _ receive: ((UnsafeRawBufferPointer) -> Bool)?) {
      self.handle = handle
      self.receive = receive
    }

    var isAccepted: Bool { gatewayd_curl_get_long(handle, CURLINFO_RESPONSE_CODE) == 200 }
  }

  private let raw: UnsafeMutableRawPointer

  init?() {
    // Not safe to do twice at once, hence through a static, which Swift initialises once.
    guard Self.libraryIsReady, let raw = curl_easy_init() else { return nil }
    self.raw = raw
  }

  deinit { curl_easy_cleanup(raw) }

  private static let libraryIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// One HTTP/1.1 request over a Unix socket, in bounded time.
  ///
  /// - Parameters:
  ///   - seconds: for all of it; where `receive` is given, for each pause in it.
  ///   - receive: gets the body of a 200 as it comes, in place of the outcome, and ends the transfer with false.
  borrowing func request(
    _ method: String, _ url: String, socket: String, body: [UInt8]?, contentType: String, seconds: Int,
    receiving receive: ((UnsafeRawBufferPointer) -> Bool)? = nil
  ) -> Outcome {
    let sink = Sink(raw, receive)
    var fields = curl_slist_append(nil, "content-type: \(contentType)")
    // Without it libcurl waits a second for "100 Continue" before a larger body.
    fields = curl_slist_append(fields, "expect:") ?? fields
    defer { curl_slist_free_all(fields) }
    set(CURLOPT_NOSIGNAL, 1)
    if receive == nil {
      set(CURLOPT_TIMEOUT, seconds)
    } else {
      set(CURLOPT_CONNECTTIMEOUT, seconds)
      set(CURLOPT_LOW_SPEED_LIMIT, 1)
      set(CURLOPT_LOW_SPEED_TIME, seconds)
    }
    set(CURLOPT_UNIX_SOCKET_PATH, socket)
    set(CURLOPT_NOPROXY, "*")
    set(CURLOPT_URL, url)
    set(CURLOPT_CUSTOMREQUEST, method)
    gatewayd_curl_set_list(raw, CURLOPT_HTTPHEADER, fields)
    gatewayd_curl_set_sink(raw, collect, Unmanaged.passUnretained(sink).toOpaque())
    let code = (body ?? []).withUnsafeBytes { bytes in
      if body != nil {
        set(CURLOPT_POSTFIELDSIZE, bytes.count)
        // Copied, so the array need not outlive this closure.
        gatewayd_curl_set_text(raw, CURLOPT_COPYPOSTFIELDS, bytes.bindMemory(to: CChar.self).baseAddress)
      }
      return curl_easy_perform(raw)
    }
    guard code == CURLE_OK else {
      let errno = Int32(truncatingIfNeeded: gatewayd_curl_get_long(raw, CURLINFO_OS_ERRNO))
      return .failed(code: code, errno: errno, text: String(cString: curl_easy_strerror(code)))
    }
    return .answered(status: gatewayd_curl_get_long(raw, CURLINFO_RESPONSE_CODE), body: sink.bytes)
  }

  private borrowing func set(_ option: CURLoption, _ value: Int) { _ = gatewayd_curl_set_long(raw, option, value) }
  private borrowing func set(_ option: CURLoption, _ value: String) { _ = gatewayd_curl_set_text(raw, option, value) }
}

extension CurlHandle {
  fileprivate static func take(_ bytes: UnsafeRawBufferPointer, context: UnsafeMutableRawPointer) -> Int {
    let sink = Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
    if let receive = sink.receive, sink.isAccepted { return receive(bytes) ? bytes.count : 0 }
    guard sink.bytes.count + bytes.count <= maximumBodyBytes else { return 0 }
    sink.bytes += bytes
    return bytes.count
  }
}

private func collect(
  bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  return CurlHandle.take(UnsafeRawBufferPointer(start: bytes, count: size * count), context: context)
}
