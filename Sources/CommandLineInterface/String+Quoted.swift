extension String {
  /// For messages: in single quotes, control characters escaped so that input cannot rewrite a terminal.
  package var quoted: String { "'" + printable + "'" }

  /// Control characters (and the C1 range, which terminals also obey) as `\u{…}`, and so those that change the direction or
  /// the line in which others are read.
  package var printable: String {
    var text = ""
    for scalar in unicodeScalars {
      if scalar.misleads {
        text += "\\u{" + String(scalar.value, radix: 16) + "}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  fileprivate var misleads: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F: true
    case 0x61C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
