import CommandLineInterface
import Glibc
import TokenStore

/// `gatewayctl token`
enum TokenCommand {
  private static let bundleID = CommandOption.value(
    "bundle-id", "ID", help: "the app that it is to push to", standard: "that of the first key")
  private static let environment = CommandOption.value(
    "environment", "NAME", help: "development or production", standard: "development")

  static let command = Command(
    "token", summary: "Prints a provider token (JWT) that is good for an hour from now.",
    discussion: "It is a secret while it is good: whoever has it may push.",
    options: [bundleID, environment] + SigningOptions.all,
    examples: [
      .init(
        "curl -H \"authorization: bearer $(gatewayctl --config gatewayd.toml token)\" …",
        "push with a client that "
          + "does not sign")
    ]
  ) { invocation in
    let outline = try invocation.outline()
    let environment =
      try invocation.choice(environment, of: GatewayEnvironment.self) ?? SigningOptions.standardEnvironment(outline)
    let signer = try SigningOptions.signer(
      invocation, outline: outline, environment: environment, app: invocation.value(bundleID))
    let now = Int64(time(nil))
    let jwt = try signer.text(issuedAt: now)
    guard invocation.wantsJSON else {
      invocation.output.print(jwt)
      return .success
    }
    struct Answer: Encodable {
      let token: String
      let team: String
      let keyID: String
      let expires: Int64
      private enum CodingKeys: String, CodingKey {
        case token, team, expires
        case keyID = "key-id"
      }
    }
    try invocation.output.printJSON(
      Answer(token: jwt, team: signer.team, keyID: signer.keyID, expires: now + ProviderToken.lifetime))
    return .success
  }
}
