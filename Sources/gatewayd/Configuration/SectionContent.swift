import GatewayCore

/// One occurrence of a section in the file: what its keys hold, and where they stand.
struct SectionContent {
  struct Entry {
    let line: Int
    let value: ConfigurationValue
  }

  let section: ConfigurationSection
  /// Of its header.
  let line: Int
  /// Only what was read without an error.
  var entries: [ConfigurationKey: Entry] = [:]
  /// Keys that stand there with something else than expected: reported, and not to be reported as missing too.
  var faulty: Set<ConfigurationKey> = []

  /// Of the key, or of the header where the key does not stand.
  func line(of key: ConfigurationKey) -> Int { entries[key]?.line ?? line }

  func number(_ key: ConfigurationKey) -> Int? {
    guard case .number(let number)? = entries[key]?.value else { return nil }
    return number
  }

  func flag(_ key: ConfigurationKey) -> Bool? {
    guard case .flag(let flag)? = entries[key]?.value else { return nil }
    return flag
  }

  func milliseconds(_ key: ConfigurationKey) -> Int64? {
    guard case .milliseconds(let milliseconds)? = entries[key]?.value else { return nil }
    return milliseconds
  }

  func duration(_ key: ConfigurationKey) -> Duration? { milliseconds(key).map { .milliseconds($0) } }

  func text(_ key: ConfigurationKey) -> String? {
    guard case .text(let text)? = entries[key]?.value else { return nil }
    return text
  }

  func texts(_ key: ConfigurationKey) -> [String]? {
    guard case .texts(let texts)? = entries[key]?.value else { return nil }
    return texts
  }

  func address(_ key: ConfigurationKey) -> ListenAddress? {
    guard case .address(let address)? = entries[key]?.value else { return nil }
    return address
  }

  /// The key says "none", which is not the same as not standing there.
  func isNothing(_ key: ConfigurationKey) -> Bool { entries[key]?.value == .nothing }

  func choice<Choice: RawRepresentable>(_ key: ConfigurationKey) -> Choice? where Choice.RawValue == String {
    text(key).flatMap(Choice.init(rawValue:))
  }
}
