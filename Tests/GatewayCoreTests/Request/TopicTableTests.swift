import GatewayCore
import SeededRandom
import Testing
import TokenStore

/// Protects that a topic is always taken for the app that it names, also when the table is full.
@Suite("Topic table") struct TopicTableTests {
  private func find(_ topic: String, in table: inout TopicTable) -> Result<BundleID, WidgetTopic.Fault> {
    Array(topic.utf8).withUnsafeBytes { bytes in
      Result { () throws(WidgetTopic.Fault) in try table.bundleID(of: bytes) }
    }
  }

  @Test("A topic gives its app, the first time and every time after")
  func lookup() {
    var table = TopicTable(seed: 7)
    for _ in 0..<3 {
      #expect(
        find("com.example.caffeine.push-type.widgets", in: &table).map(\.description)
          == .success("com.example.caffeine"))
    }
    #expect(table.count == 1)
  }

  @Test("What is no topic stays out of the table")
  func faults() {
    var table = TopicTable(seed: 7)
    #expect(find("com.example.caffeine", in: &table) == .failure(.otherKind(nil)))
    #expect(find(".push-type.widgets", in: &table) == .failure(.notABundleID))
    #expect(find("a..b.push-type.widgets", in: &table) == .failure(.notABundleID))
    #expect(table.count == 0)
  }

  @Test("A full table starts afresh, stays within its bound and never confuses two apps", arguments: [1, 2, 3, 64])
  func bound(capacity: Int) {
    var table = TopicTable(capacity: capacity, seed: 0)
    var random = SeededGenerator(seed: 42)
    for _ in 0..<5000 {
      let name = "com.example.app" + String(Int.random(in: 0..<(3 * capacity), using: &random))
      #expect(find(name + ".push-type.widgets", in: &table).map(\.description) == .success(name))
      #expect(table.count <= capacity)
    }
  }

  @Test("The topic that the device API shows is the one that is taken here")
  func text() throws {
    var table = TopicTable(seed: 7)
    let bundleID = try #require(BundleID("com.example.caffeine"))
    #expect(find(WidgetTopic.text(for: bundleID), in: &table) == .success(bundleID))
  }
}
