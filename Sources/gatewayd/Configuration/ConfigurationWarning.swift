/// Something that works and is probably not what was meant.
package struct ConfigurationWarning: Equatable, Sendable, CustomStringConvertible {
  package let file: String
  package let line: Int?
  package let key: String?
  package let text: String

  package var description: String {
    let place = line.map { "\(file):\($0)" } ?? file
    return key.map { "\(place): \($0): warning: \(text)" } ?? "\(place): warning: \(text)"
  }
}
