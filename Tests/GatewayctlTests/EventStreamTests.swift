import Testing

@testable import gatewayctl

/// Protects a device's side of the update stream: docs/devices.md, 3 and 4.
@Suite("Event stream of a simulated device") struct EventStreamTests {
  private static let text =
    ": heartbeat\n\nid: 7-120\nevent: refresh\ndata: {\"a\":\"ä\"}\n\nid: 7-121\r\ndata:x\r\ndata: y\r\n\r\n\n"
  private static let events = [
    EventStreamReader.Event(name: "refresh", id: "7-120", data: "{\"a\":\"ä\"}"),
    EventStreamReader.Event(name: "", id: "7-121", data: "x\ny"),
  ]

  @Test("Events come out whole however the bytes are cut", arguments: [1, 2, 3, 7, 1000])
  func pieces(size: Int) {
    var reader = EventStreamReader()
    var found: [EventStreamReader.Event] = []
    let bytes = Array(Self.text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      found += reader.feed(Array(bytes[start..<min(start + size, bytes.count)]))
    }
    #expect(found == Self.events)
  }

  @Test("A line without end does not grow without end") func endless() {
    var reader = EventStreamReader()
    _ = reader.feed([UInt8](repeating: 0x61, count: EventStreamReader.longestLine + 1))
    #expect(reader.isBroken)
    #expect(reader.feed(Array("\n\ndata: x\n\n".utf8)).isEmpty)
  }

  @Test("What comes again is a duplicate, also when an earlier epoch comes back") func duplicates() throws {
    var seen = SeenRefreshes()
    let order = [
      ("7-1", true), ("7-3", true), ("7-2", false), ("8-1", true), ("7-3", false), ("7-4", true), ("8-1", false),
    ]
    for (text, isNew) in order { #expect(seen.insert(try #require(RefreshID(text))) == isNew, "\(text)") }
  }

  @Test("Receipts join within an epoch, keep the order of epochs, and go one at a time") func receipts() throws {
    var queue = ReceiptQueue()
    for text in ["7-1", "7-2", "8-1", "7-3", "7-4"] { queue.add(try #require(RefreshID(text))) }
    var sent: [String] = []
    while let id = queue.next() {
      #expect(queue.next() == nil)
      sent.append(id.description)
      queue.sent()
    }
    #expect(sent == ["7-2", "8-1", "7-4"])
  }

  @Test("Ids that are not <epoch>-<sequence> are none", arguments: ["", "7", "7-", "-1", "7-1-1", "a-1", "7-b"])
  func ids(text: String) { #expect(RefreshID(text) == nil) }
}
