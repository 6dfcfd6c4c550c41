/// Where the paths of a configuration file start.
struct ConfigurationFolder {
  /// Absolute, without a final slash; empty for the root.
  private let folder: String
  /// systemd's `$CREDENTIALS_DIRECTORY` (systemd.exec(5), LoadCredential=), if there is one.
  private let credentials: String?
  private let exists: (String) -> Bool

  /// - Parameters:
  ///   - file: the configuration file, as named on the command line.
  ///   - workingDirectory: where a relative `file` starts; absolute.
  init(file: String, workingDirectory: String, credentials: String?, exists: @escaping (String) -> Bool) {
    let absolute = file.hasPrefix("/") ? file : workingDirectory + "/" + file
    folder = absolute.lastIndex(of: "/").map { String(absolute[..<$0]) } ?? ""
    self.credentials = credentials.flatMap { $0.hasPrefix("/") ? $0 : nil }
    self.exists = exists
  }

  /// The absolute form of a path.
  func resolve(_ path: String) -> String { path.hasPrefix("/") ? path : folder + "/" + path }

  /// As ``resolve(_:)``, but a bare name is a credential's if systemd has handed over one of that name.
  func resolveSecret(_ path: String) -> String {
    if let credentials, !path.contains("/") {
      let candidate = credentials + "/" + path
      if exists(candidate) { return candidate }
    }
    return resolve(path)
  }
}
