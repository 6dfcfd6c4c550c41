import CommandLineInterface

/// The client program of gatewayd: asks a running gateway, pushes to it, and plays devices.
@main
enum Gatewayctl {
  static func main() { Program.gatewayctl.main() }
}
