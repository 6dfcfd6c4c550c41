/// Colours, where someone sees them: on a terminal and without NO_COLOR (https://no-color.org).
package struct Style: Sendable, Equatable {
  package let isColoured: Bool
  package init(isColoured: Bool) { self.isColoured = isColoured }

  package static let plain = Style(isColoured: false)

  package func bold(_ text: String) -> String { wrap(text, "1") }
  package func dim(_ text: String) -> String { wrap(text, "2") }
  package func red(_ text: String) -> String { wrap(text, "31") }
  package func green(_ text: String) -> String { wrap(text, "32") }
  package func yellow(_ text: String) -> String { wrap(text, "33") }

  private func wrap(_ text: String, _ code: String) -> String {
    isColoured && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
