import BudgetThrottle
import TokenStore

/// The stored row of a fan-out. It is written with every commit that changes the fan-out, so no journal speaks of it.
extension FanOut {
  private static let codecVersion: UInt8 = 1

  /// What never changes of it; made once and kept, since every receipt has the row written.
  func encodeHead() -> [UInt8] {
    let writer = ByteWriter(reserving: 256)
    writer.byte(Self.codecVersion)
    writer.fixed(id.high)
    writer.fixed(id.low)
    writer.text(order.team)
    writer.text(order.bundleID.description)
    writer.byte(order.environment == .production ? 1 : 0)
    writer.pushID(order.push.id)
    writer.optional(order.push.payload) { $0.blob($1) }
    switch order.push.storage {
    case .once: writer.byte(0)
    case .until(let date):
      writer.byte(1)
      writer.signed(date.milliseconds)
    }
    writer.byte(order.push.priority.rawValue)
    writer.optional(order.filter.kinds) { writer, kinds in writer.texts(kinds) }
    writer.optional(order.filter.families) { writer, families in writer.texts(families.map(\.rawValue)) }
    writer.optional(order.filter.platforms) { writer, platforms in writer.texts(platforms.map(\.rawValue)) }
    writer.number(end)
    writer.signed(acceptedAt.milliseconds)
    return writer.bytes
  }

  func encode() -> [UInt8] {
    let writer = ByteWriter(reserving: head.count + 64)
    writer.append(head)
    writer.number(walk.last)
    writer.byte(state.rawValue)
    for path in FanOutCounts.stored { writer.number(UInt64(counts[keyPath: path])) }
    return writer.bytes
  }

  static func decode(number: UInt64, _ reader: inout ByteReader) throws(ByteReader.Damage) -> FanOut {
    guard try reader.byte() == codecVersion else { throw reader.damage("a fan-out of version \(codecVersion)") }
    let id = CanonicalUUID(high: try reader.fixed(), low: try reader.fixed())
    let team = try reader.text()
    guard let bundleID = BundleID(try reader.text()) else { throw reader.damage("a bundle ID") }
    let environment: GatewayEnvironment = try reader.flag() ? .production : .development
    let push = try reader.pushID()
    let payload = try reader.optional { (reader) throws(ByteReader.Damage) in try reader.blob() }
    let storage: IncomingPush.Storage =
      try reader.flag() ? .until(LedgerTime(milliseconds: try reader.signed())) : .once
    let priority = try reader.priority()
    let filter = FanOutFilter(
      kinds: try reader.optional { (reader) throws(ByteReader.Damage) in try reader.texts { $0 } },
      families: try reader.optional { (reader) throws(ByteReader.Damage) in
        try reader.texts { WidgetFamily(rawValue: $0) }
      },
      platforms: try reader.optional { (reader) throws(ByteReader.Damage) in
        try reader.texts { Platform(rawValue: $0) }
      })
    let order = FanOutOrder(
      team: team, bundleID: bundleID, environment: environment,
      push: IncomingPush(id: push, payload: payload, storage: storage, priority: priority), filter: filter)
    let fanOut = FanOut(
      id: id, order: order, number: number, end: try reader.ordinal(),
      acceptedAt: LedgerTime(milliseconds: try reader.signed()),
      walk: RegistrationWalk(after: try reader.ordinal()))
    guard let state = State(rawValue: try reader.byte()) else { throw reader.damage("a fan-out's state") }
    fanOut.state = state
    for path in FanOutCounts.stored { fanOut.counts[keyPath: path] = try reader.count(atMost: 1 << 40) }
    return fanOut
  }
}

extension FanOutCounts {
  /// In the order of the row.
  fileprivate static var stored: [WritableKeyPath<FanOutCounts, Int>] {
    [\.matched, \.marked, \.skipped, \.sent, \.received, \.dropped, \.superseded, \.expired, \.removed]
  }
}

extension ByteWriter {
  fileprivate func texts(_ texts: [String]) {
    number(UInt64(texts.count))
    for text in texts { self.text(text) }
  }
}

extension ByteReader {
  fileprivate mutating func texts<Value>(_ read: (String) -> Value?) throws(Damage) -> [Value] {
    var values: [Value] = []
    for _ in 0..<(try count(atMost: 1 << 10)) {
      guard let value = read(try text()) else { throw damage("a known word") }
      values.append(value)
    }
    return values
  }
}
