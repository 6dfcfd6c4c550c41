/// What the parts of a push cost by themselves, in nanoseconds and allocations.
///
///     swift run -c release MicroBenchmark [--json]
@main
enum MicroBenchmark {
  static func main() {
    var meter = Meter()
    RequestParts.measure(with: &meter)
    LedgerParts.measure(with: &meter)
    if CommandLine.arguments.contains("--json") { printJSON(meter.readings) } else { printTable(meter.readings) }
  }

  private static func printTable(_ readings: [Meter.Reading]) {
    let width = readings.map(\.name.count).max() ?? 0
    print("\(padded("", to: width))  \(padded("ns", to: 9, right: true))  allocations")
    for reading in readings {
      print(
        "\(padded(reading.name, to: width))  \(padded(decimals(reading.nanoseconds, 1), to: 9, right: true))  "
          + padded(decimals(reading.allocations, 2), to: 11, right: true))
    }
  }

  private static func printJSON(_ readings: [Meter.Reading]) {
    let rows = readings.map {
      #"  {"name": "\#($0.name)", "nanoseconds": \#(decimals($0.nanoseconds, 2)), "#
        + #""allocations": \#(decimals($0.allocations, 3))}"#
    }
    print("[\n\(rows.joined(separator: ",\n"))\n]")
  }

  private static func padded(_ text: String, to width: Int, right: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return right ? space + text : text + space
  }

  private static func decimals(_ value: Double, _ count: Int) -> String {
    var scale = 1
    for _ in 0..<count { scale *= 10 }
    let whole = Int((value * Double(scale)).rounded())
    let rest = String(whole % scale)
    return "\(whole / scale)." + String(repeating: "0", count: count - rest.count) + rest
  }
}
