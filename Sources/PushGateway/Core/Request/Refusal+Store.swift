extension Refusal {
  /// 503, before anything was touched.
  package static var storeUnavailable: Refusal {
    Refusal(.serviceUnavailable, "The gateway cannot store pushes right now; try again later.", retryAfter: 1)
  }
}
