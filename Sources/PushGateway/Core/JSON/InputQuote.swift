/// A piece of somebody's input within a sentence of ours: in quotation marks, at most 64 characters of it, and without
/// control characters.
package struct InputQuote: CustomStringConvertible {
  package static let maximumCount = 64
  package let description: String

  package init(_ input: String) {
    var scalars = String.UnicodeScalarView()
    for scalar in input.unicodeScalars {
      guard scalars.count < Self.maximumCount else {
        scalars.append("…")
        break
      }
      let isControl = scalar.properties.generalCategory == .control
      scalars.append(isControl ? "\u{FFFD}" : scalar)
    }
    description = "\"\(String(scalars))\""
  }
}
