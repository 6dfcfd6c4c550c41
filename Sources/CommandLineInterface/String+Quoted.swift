extension String {
  /// For messages: in single quotes, control characters escaped so that input cannot rewrite a terminal.
  package var quoted: String { "'" + printable + "'" }

  /// Control characters (and the C1 range, which terminals also obey) as `\u{…}`.
  package var printable: String {
    var text = ""
    for scalar in unicodeScalars {
      let value = scalar.value
      if value < 0x20 || (0x7F...0x9F).contains(value) {
        text += "\\u{" + String(value, radix: 16) + "}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
