import COpenSSL

/// The protocol versions that this gateway speaks.
package enum TLSVersion: String, Sendable, CaseIterable {
  case tls12 = "TLSv1.2"
  case tls13 = "TLSv1.3"

  var code: Int32 {
    switch self {
    case .tls12: TLS1_2_VERSION
    case .tls13: TLS1_3_VERSION
    }
  }
}
