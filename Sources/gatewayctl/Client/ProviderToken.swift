import CommandLineInterface
import FoundationEssentials
import GatewayIO

/// A JWT as APNs providers send it: ES256 over team, key ID and time.
struct ProviderToken {
  /// Seconds (Apple: "Establishing a token-based connection to APNs").
  static let lifetime: Int64 = 3600

  let team: String
  let keyID: String
  let key: ES256SigningKey

  /// - Parameter seconds: since 1970; the token is good for an hour from then.
  func text(issuedAt seconds: Int64) throws -> String {
    struct Header: Encodable {
      let alg = "ES256"
      let kid: String
    }
    struct Claims: Encodable {
      let iss: String
      let iat: Int64
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let header = Self.base64URL(Array(try encoder.encode(Header(kid: keyID))))
    let claims = Self.base64URL(Array(try encoder.encode(Claims(iss: team, iat: seconds))))
    let signed = header + "." + claims
    return signed + "." + Self.base64URL(try key.sign(Array(signed.utf8)))
  }

  private static func base64URL(_ bytes: [UInt8]) -> String {
    var text = ""
    for character in Data(bytes).base64EncodedString() where character != "=" {
      text.append(character == "+" ? "-" : character == "/" ? "_" : character)
    }
    return text
  }
}
