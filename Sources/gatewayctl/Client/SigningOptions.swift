import CommandLineInterface
import ConfigurationFile
import GatewayCore
import GatewayIO
import TokenStore

/// How `push` and `token` find the provider key: from the configuration, or told by hand.
enum SigningOptions {
  static let keyFile = CommandOption.value(
    "key-file", "FILE", help: "the provider key (.p8), in place of the configuration's")
  static let keyID = CommandOption.value("key-id", "ID", help: "its key ID; with --key-file")
  static let team = CommandOption.value("team", "ID", help: "its team; with --key-file")

  static let all = [keyFile, keyID, team]

  /// - Parameter app: whom the token is to push to; nil: anyone.
  static func signer(
    _ invocation: Invocation, outline: ConfigurationOutline?, environment: GatewayEnvironment, app: String?
  ) throws -> ProviderToken {
    let file: String
    let keyID: String
    let team: String
    if let given = invocation.value(keyFile) {
      file = given
      keyID = try invocation.required(Self.keyID)
      team = try invocation.required(Self.team)
    } else {
      let usable = (outline?.providerKeys ?? []).filter { $0.environment == environment }
      // A key for another app is better than none: the gateway then says what is wrong with it.
      let bundle = app.flatMap { BundleID($0) }
      guard
        let key = usable.first(where: { key in bundle.map { app in key.topics.contains { $0.matches(app) } } ?? false })
          ?? usable.first
      else {
        throw CommandFailure(
          "no provider key: the configuration has no [[provider-key]] for \(environment.rawValue);"
            + " give --key-file, --key-id and --team")
      }
      (file, keyID, team) = (
        key.file, invocation.value(Self.keyID) ?? key.keyID, invocation.value(Self.team) ?? key.team
      )
    }
    do {
      return ProviderToken(
        team: team, keyID: keyID, key: try ES256SigningKey(pem: try InputFile.read(file, what: "the provider key")))
    } catch let error as TLSError {
      throw CommandFailure("\(file): \(error)")
    }
  }

  /// The environment of a listener that is there, development before others.
  static func standardEnvironment(_ outline: ConfigurationOutline?) -> GatewayEnvironment {
    let served = outline?.providers.map(\.environment) ?? []
    return served.contains(.development) ? .development : served.first ?? .development
  }
}
