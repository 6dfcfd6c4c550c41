import CommandLineInterface
import Testing

/// Protects what people and scripts read: alignment, no trailing spaces, no terminal control from data.
@Suite("Table") struct TableTests {
  @Test("Text is aligned left, numbers right, and no line ends with a space") func alignment() {
    var table = Table([Table.Column("widget"), .number("left"), Table.Column("next")])
    table.add(["caffeine", "4", ""])
    table.add(["x", "12345", "now"])
    #expect(
      table.text() == """
        widget     left  next
        caffeine      4
        x         12345  now
        """)
  }

  @Test("Control characters in a cell are escaped, and those that turn others round; words of any script are not")
  func escapes() {
    var table = Table([Table.Column("kind")])
    table.add(["a\u{1B}[2J\n\u{9B}b"])
    table.add(["\u{202E}exe\u{2066}\u{2028}"])
    table.add(["קפה 👩‍🍳"])
    #expect(
      table.text() == "kind\na\\u{1b}[2J\\u{a}\\u{9b}b\n\\u{202e}exe\\u{2066}\\u{2028}\nקפה 👩‍🍳")
  }

  @Test("Colours appear only where asked for") func colours() {
    #expect(Style.plain.red("no") == "no")
    #expect(Style(isColoured: true).red("no") == "\u{1B}[31mno\u{1B}[0m")
  }
}
