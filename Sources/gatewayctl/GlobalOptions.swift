import CommandLineInterface

/// What every command of gatewayctl understands.
enum GlobalOptions {
  static let standardConfiguration = "/etc/gatewayd/gatewayd.toml"

  static let config = CommandOption.value(
    "config", "FILE", short: "c", help: "the gateway's configuration: socket, listeners, CA, keys",
    standard: standardConfiguration)
  static let socket = CommandOption.value("socket", "PATH", help: "the admin socket, in place of the configuration's")
  static let json = CommandOption.flag("json", help: "print JSON as the admin API answers it")

  static let all = [config, socket, json]
}
