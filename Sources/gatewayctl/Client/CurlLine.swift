import GatewayIO

/// A push as a shell line for curl, for those who want to see what a backend says. The provider token is not in it: the
/// line has it made when it runs, so that it can be kept and shown around.
struct CurlLine {
  let target: ServerTarget
  /// PEM file; nil: what the system trusts.
  let caFile: String?
  let request: ClientRequest
  let credential: Credential

  enum Credential {
    /// The command that prints a provider token.
    case tokenCommand([String])
    /// PEM files; nil: the key is in the certificate's.
    case certificate(file: String, keyFile: String?)
  }

  var text: String {
    var words = ["curl", "-i"]
    var place: String
    switch target.security {
    case .cleartext:
      words.append("--http2-prior-knowledge")
      place = "http://" + target.name
    case .tls(_, let host):
      words.append("--http2")
      if let caFile { words += ["--cacert", Self.quoted(caFile)] }
      place = "https://" + (host.contains(":") ? "[\(host)]" : host)
      if case .tcp(let address, let port) = target.address {
        place += ":\(port)"
        if host != address, host != "localhost" { words += ["--connect-to", Self.quoted("::\(target.name)")] }
      }
    }
    if case .unix(let path) = target.address {
      words += ["--unix-socket", Self.quoted(path)]
      if case .cleartext = target.security { place = "http://localhost" }
    }
    words.append(Self.quoted(place + request.path))
    for field in request.fields where field.name != "authorization" {
      words += ["-H", Self.quoted("\(field.name): \(field.value)")]
    }
    switch credential {
    case .tokenCommand(let command):
      let made = command.map(Self.quoted).joined(separator: " ")
      words += ["-H", "\"authorization: bearer $(\(made))\""]
    case .certificate(let file, let keyFile):
      words += ["--cert", Self.quoted(file)]
      if let keyFile { words += ["--key", Self.quoted(keyFile)] }
    }
    words += ["--data-binary", Self.quoted(String(decoding: request.body, as: UTF8.self))]
    return words.joined(separator: " ")
  }

  /// For a POSIX shell.
  static func quoted(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || "/._-+@:=,".unicodeScalars.contains($0))
    }
    if isPlain, !text.isEmpty { return text }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
