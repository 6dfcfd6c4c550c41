@main
struct Gatewayctl {
  static func main() {}
}
