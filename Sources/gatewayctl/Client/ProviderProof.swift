import CommandLineInterface
import ConfigurationFile
import GatewayCore
import GatewayIO
import TokenStore

/// How a push proves whose it is: with a provider token that is signed for it, or with a client certificate.
enum ProviderProof {
  case token(ProviderToken)
  case certificate(CertificateAndKey)

  static let certificate = CommandOption.value(
    "cert", "FILE", help: "a client certificate (PEM) to show in place of a provider token")
  static let certificateKey = CommandOption.value(
    "cert-key", "FILE", help: "its key (PEM)", standard: "the certificate's file")

  static let all = [certificate, certificateKey]

  static func chosen(
    _ invocation: Invocation, outline: ConfigurationOutline?, environment: GatewayEnvironment, app: String?
  ) throws -> ProviderProof {
    guard let file = invocation.value(certificate) else {
      guard invocation.value(certificateKey) == nil else {
        throw UsageError("--cert-key is for --cert FILE", help: invocation.command)
      }
      return .token(
        try SigningOptions.signer(invocation, outline: outline, environment: environment, app: app))
    }
    guard SigningOptions.all.allSatisfy({ invocation.value($0) == nil }) else {
      throw UsageError("give either --cert or a provider key", help: invocation.command)
    }
    return .certificate(
      CertificateAndKey(
        certificateChain: try InputFile.read(file, what: "the certificate"),
        privateKey: try InputFile.read(invocation.value(certificateKey) ?? file, what: "the certificate's key")))
  }
}
