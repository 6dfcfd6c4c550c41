/// The certificate that a client has shown.
package enum PeerCertificate: Equatable, Sendable {
  /// Nobody we trust vouches for it, or it cannot be understood. The text says why, in the words of OpenSSL or ours, and
  /// has nothing of the certificate in it.
  case refused(String)
  case verified(Contents)

  /// What a provider's certificate from Apple says. Of a verified one only: whoever issued it is answerable for it.
  package struct Contents: Equatable, Sendable {
    /// UID of the subject.
    package var subjectID: String?
    /// OU of the subject.
    package var organizationalUnit: String?
    /// What its topic extensions list; nil without such an extension.
    package var topics: [String]?
    package var isMarkedDevelopment = false
    package var isMarkedProduction = false
    /// UNIX seconds; both ends belong to it.
    package var validity: ClosedRange<Int64>

    package init(validity: ClosedRange<Int64>) { self.validity = validity }
  }
}
