package import TokenStore

/// A client certificate that a connection was accepted with. Stands for the whole connection; only its age is looked at
/// again, which changes by itself.
package struct CertificateCredential: Sendable {
  /// Whose it is: what it begins on a connection, others of the same team may look at.
  package let team: String
  let topics: TopicGrant
  private let validFrom: UnixTime
  private let validUntil: UnixTime

  init(team: String, grant: TopicGrant, validFrom: UnixTime, validUntil: UnixTime) {
    self.team = team
    topics = grant
    self.validFrom = validFrom
    self.validUntil = validUntil
  }

  /// What the provider may send to.
  package func grant(at now: UnixTime) throws(Refusal) -> TopicGrant {
    guard now >= validFrom else {
      throw Refusal(.badCertificate, "The client certificate is not valid yet; use one that is, or mend the clock.")
    }
    guard now <= validUntil else {
      throw Refusal(.badCertificate, "The client certificate has expired; connect with a new one.")
    }
    return topics
  }
}
