import Testing
import TokenStore

/// Protects what a device may say about its system.
@Suite("OS version") struct OSVersionTests {
  @Test(
    "A version is read and written in its shortest spelling",
    arguments: [
      ("26", "26"), ("26.1", "26.1"), ("26.1.2", "26.1.2"), ("26.0", "26"), ("26.0.0", "26"), ("26.0.3", "26.0.3"),
      ("0", "0"), ("9999.9999.9999", "9999.9999.9999"),
    ])
  func spelling(text: String, expected: String) throws {
    #expect(try #require(OSVersion(text)).description == expected)
  }

  @Test(
    "Anything else is no version",
    arguments: [
      "", ".", "26.", ".26", "26..1", "26.1.2.3", "026", "26.01", "26a", "iOS 26", "-26", "+26", " 26", "26 ", "10000",
      "26,1", "２６", "99999999999999999999",
    ])
  func refused(text: String) { #expect(OSVersion(text) == nil) }

  @Test("Versions compare by number, not by text")
  func order() {
    #expect(OSVersion(9) < OSVersion(26))
    #expect(OSVersion(26, 9) < OSVersion(26, 10))
    #expect(OSVersion(26, 1, 9) < OSVersion(26, 2))
    #expect(OSVersion("26.0") == OSVersion(26))
  }
}
