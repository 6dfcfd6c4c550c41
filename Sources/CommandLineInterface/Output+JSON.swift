import FoundationEssentials

extension Output {
  /// One JSON text on one line, its keys in an order that does not change from run to run.
  package func printJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(value), as: UTF8.self))
  }
}
