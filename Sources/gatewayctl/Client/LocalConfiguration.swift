import CommandLineInterface
import ConfigurationFile
import GatewayCore
import TokenStore

extension Invocation {
  /// What the configuration says, without the files that it names: an operator may ask a gateway whose keys are not
  /// his to read. nil: `--config` is not given and the standard file is not there.
  func outline() throws -> ConfigurationOutline? {
    let path = value(GlobalOptions.config)
    if path == nil, !InputFile.exists(GlobalOptions.standardConfiguration) { return nil }
    do {
      return try ConfigurationFile.outline(path ?? GlobalOptions.standardConfiguration)
    } catch {
      throw CommandFailure(error.description)
    }
  }

  /// The gateway that `--socket` or the configuration names.
  func admin() throws -> AdminClient {
    if let path = value(GlobalOptions.socket) { return AdminClient(socket: path) }
    guard let outline = try outline() else {
      throw UsageError(
        "give --config FILE or --socket PATH: there is no \(GlobalOptions.standardConfiguration)", help: command)
    }
    guard let path = outline.adminSocket else {
      throw CommandFailure("the configuration has no [admin] socket: set one, or give --socket PATH")
    }
    return AdminClient(socket: path)
  }

  var wantsJSON: Bool { has(GlobalOptions.json) }
}
