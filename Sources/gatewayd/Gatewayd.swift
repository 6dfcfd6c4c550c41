import CommandLineInterface

/// The push gateway for widget updates, as a daemon.
@main
enum Gatewayd {
  static func main() { Program.gatewayd.main() }
}
