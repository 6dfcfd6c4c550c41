/// Why an `authorization` value is no provider token. Names parts and claims, and never quotes the JWT.
package enum ProviderTokenFault: Error, Equatable, Sendable {
  package enum Part: String, Sendable { case header, claims, signature }
  package enum Member: String, Sendable {
    case algorithm = "alg"
    case keyID = "kid"
    case team = "iss"
    case issuedAt = "iat"
  }

  case absent
  case notBearer
  case tooLong
  case notThreeParts
  case notBase64(Part)
  case notJSON(Part, JSONFault)
  case notAnObject(Part)
  case missing(Member)
  case wrongAlgorithm(String)
  case malformedIssuedAt

  package var refusal: Refusal {
    switch self {
    case .absent:
      Refusal(.missingProviderToken, "Send authorization: bearer <JWT>, signed with your provider key.")
    case .notBearer:
      Refusal(.invalidProviderToken, "authorization must be the word bearer, a space and the JWT.")
    case .tooLong:
      Refusal(
        .invalidProviderToken, "The JWT is longer than \(ProviderToken.maximumBytes) bytes; it needs only four members."
      )
    case .notThreeParts:
      Refusal(.invalidProviderToken, "A JWT has three parts with a dot between them; this has not.")
    case .notBase64(let part):
      Refusal(.invalidProviderToken, "The JWT's \(part.rawValue) is not base64url.")
    case .notJSON(let part, let fault):
      Refusal(.invalidProviderToken, "The JWT's \(part.rawValue) is not JSON: \(fault).")
    case .notAnObject(let part):
      Refusal(.invalidProviderToken, "The JWT's \(part.rawValue) is not a JSON object.")
    case .missing(let member):
      Refusal(.invalidProviderToken, "The JWT's \(member.part.rawValue) needs \(member.rawValue).")
    case .wrongAlgorithm(let name):
      Refusal(.invalidProviderToken, "The JWT's alg is \(name.prefix(16)); APNs documents ES256 and no other.")
    case .malformedIssuedAt:
      Refusal(.invalidProviderToken, "The JWT's iat must be UNIX seconds.")
    }
  }
}

extension ProviderTokenFault.Member {
  fileprivate var part: ProviderTokenFault.Part {
    switch self {
    case .algorithm, .keyID: .header
    case .team, .issuedAt: .claims
    }
  }
}
