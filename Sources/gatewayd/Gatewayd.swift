@main
struct Gatewayd {
  static func main() {}
}
