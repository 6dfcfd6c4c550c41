import GatewayCore
import Testing

/// Protects that every field arrives, whatever the log is written to.
@Suite("Fields of the log") struct LogKeyTests {
  @Test("Each has a name that the journal takes and that needs no quotation marks", arguments: LogKey.allCases)
  func names(key: LogKey) {
    #expect(key.rawValue.utf8.allSatisfy { $0 >= 0x61 && $0 <= 0x7A })
  }
}
