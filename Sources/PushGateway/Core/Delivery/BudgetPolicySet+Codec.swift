import BudgetThrottle

extension BudgetPolicySet {
  private static let codecVersion: UInt8 = 1

  func encode() -> [UInt8] {
    let writer = ByteWriter(reserving: 64)
    writer.byte(Self.codecVersion)
    writer.mode(standard.mode)
    writer.number(UInt64(standard.refreshesPerDay))
    writer.number(UInt64(standard.burst))
    writer.signed(standard.minimumInterval)
    writer.byte(overBudget == .reject ? 1 : 0)
    writer.number(UInt64(overrides.count))
    for override in overrides {
      for name in [override.bundleID, override.kind, override.family, override.platform] {
        writer.optional(name) { $0.text($1) }
      }
      writer.optional(override.mode) { $0.mode($1) }
      writer.optional(override.refreshesPerDay) { $0.number(UInt64($1)) }
      writer.optional(override.burst) { $0.number(UInt64($1)) }
      writer.optional(override.minimumInterval) { $0.signed($1) }
    }
    return writer.bytes
  }

  static func decode(_ reader: inout ByteReader) throws(ByteReader.Damage) -> BudgetPolicySet {
    guard try reader.byte() == codecVersion else { throw reader.damage("policies of version \(codecVersion)") }
    let limit = 1 << 30
    var set = BudgetPolicySet(
      standard: BudgetPolicy(
        mode: try reader.mode(), refreshesPerDay: try reader.count(atMost: limit),
        burst: try reader.count(atMost: limit), minimumInterval: try reader.signed()))
    set.overBudget = try reader.flag() ? .reject : .defer
    for _ in 0..<(try reader.count(atMost: 1 << 16)) {
      let text = { (reader: inout ByteReader) throws(ByteReader.Damage) in try reader.text() }
      var override = Override(
        bundleID: try reader.optional(text), kind: try reader.optional(text), family: try reader.optional(text),
        platform: try reader.optional(text))
      override.mode = try reader.optional { (reader) throws(ByteReader.Damage) in try reader.mode() }
      override.refreshesPerDay = try reader.optional { (reader) throws(ByteReader.Damage) in
        try reader.count(atMost: limit)
      }
      override.burst = try reader.optional { (reader) throws(ByteReader.Damage) in try reader.count(atMost: limit) }
      override.minimumInterval = try reader.optional { (reader) throws(ByteReader.Damage) in try reader.signed() }
      set.overrides.append(override)
    }
    return set
  }
}

extension ByteWriter {
  fileprivate func mode(_ mode: BudgetPolicy.Mode) {
    switch mode {
    case .enforce: byte(0)
    case .shadow: byte(1)
    case .off: byte(2)
    }
  }
}

extension ByteReader {
  fileprivate mutating func mode() throws(Damage) -> BudgetPolicy.Mode {
    switch try byte() {
    case 0: .enforce
    case 1: .shadow
    case 2: .off
    default: throw damage("a budget mode")
    }
  }
}
