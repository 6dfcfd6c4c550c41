import GatewayCore
import Glibc

/// Reads `gatewayd.toml`.
package enum ConfigurationFile {
  package static let standardPath = "/etc/gatewayd/gatewayd.toml"
  /// Bytes; a file beyond it is hardly a configuration.
  private static let limit = 1 << 20

  /// Reads the file and every file that it names.
  /// - Throws: all that is wrong with it, not only the first.
  /// - Parameter regularOnly: refuses a pipe, which could block whoever reads it for ever.
  package static func load(
    _ path: String, regularOnly: Bool = false
  ) throws(ConfigurationErrors) -> LoadedConfiguration {
    try load(path, regularOnly: regularOnly, opensFiles: true, environment: ProcessSurroundings.current)
  }

  /// Reads the file alone and opens nothing that it names, so that it needs no right to read the keys.
  package static func outline(_ path: String) throws(ConfigurationErrors) -> ConfigurationOutline {
    try load(path, opensFiles: false, environment: ProcessSurroundings.current).outline
  }

  static func load(
    _ path: String, regularOnly: Bool = false, opensFiles: Bool, environment: ProcessSurroundings
  ) throws(ConfigurationErrors) -> LoadedConfiguration {
    let bytes: [UInt8]
    do {
      bytes = try FileContents.read(path, limit: limit, regularOnly: regularOnly).bytes
    } catch {
      let mend =
        if case .missing = error {
          "no such file; gatewayd init --directory DIR --bundle-id ID makes one"
        } else {
          error.explanation(path: path)
        }
      throw ConfigurationErrors([
        ConfigurationError(file: path, line: nil, key: nil, expected: "cannot read the configuration: \(mend)")
      ])
    }
    return try read(bytes, file: path, opensFiles: opensFiles, environment: environment)
  }

  static func read(
    _ bytes: [UInt8], file: String, opensFiles: Bool, environment: ProcessSurroundings
  ) throws(ConfigurationErrors) -> LoadedConfiguration {
    let root: TOMLNode
    do {
      root = try TOMLDocument.parse(bytes)
    } catch {
      let text = ConfigurationReader.printable(error.description, limit: 200)
      throw ConfigurationErrors([
        ConfigurationError(
          file: file, line: error.line == 0 ? nil : error.line, key: nil,
          expected: "column \(error.column): not TOML: \(text)")
      ])
    }
    var reader = ConfigurationReader(file: file)
    reader.read(root)
    let folder = ConfigurationFolder(
      file: file, workingDirectory: environment.workingDirectory, credentials: environment.credentialsDirectory,
      exists: { access($0, F_OK) == 0 })
    var assembly = ConfigurationAssembly(
      file: file, sections: reader.sections, folder: folder, opensFiles: opensFiles)
    let gateway = assembly.assemble()
    let errors = reader.errors + assembly.errors
    guard errors.isEmpty else { throw ConfigurationErrors(errors) }
    return LoadedConfiguration(
      file: file, gateway: gateway, outline: assembly.outline,
      warnings: assembly.warnings.sorted { ($0.line ?? 0) < ($1.line ?? 0) }, places: assembly.places)
  }
}

/// What of the process decides how paths are read.
struct ProcessSurroundings {
  var workingDirectory: String
  var credentialsDirectory: String?

  static var current: ProcessSurroundings {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let directory = getcwd(&buffer, buffer.count).map { String(cString: $0) } ?? ""
    let credentials = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
    return ProcessSurroundings(workingDirectory: directory, credentialsDirectory: credentials)
  }
}
