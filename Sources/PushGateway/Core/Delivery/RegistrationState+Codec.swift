import BudgetThrottle
import TokenStore

/// The stored row of a registration: everything but what is looked up anew at a start.
extension RegistrationState {
  private static let codecVersion: UInt8 = 2

  func encodeRow(into writer: ByteWriter) {
    writer.byte(Self.codecVersion)
    writer.number(device.number)
    writer.text(app.bundleID.description)
    writer.byte(environment == .production ? 1 : 0)
    writer.token(token)
    writer.byte(isActive ? 1 : 0)
    writer.number(UInt64(widgets.count))
    for (place, widget) in widgets.enumerated() {
      writer.text(widget.kind)
      writer.text(widget.family.rawValue)
      writer.optional(widget.configuration) { $0.text($1) }
      writer.state(state(of: place))
    }
    writer.number(UInt64(left.count))
    for cell in left {
      writer.text(cell.kind)
      writer.text(cell.family.rawValue)
      writer.cell(cell.cell)
    }
    writer.number(UInt64(contents.count))
    for content in contents {
      writer.number(content.number)
      writer.pushID(content.id)
      writer.optional(content.payload) { $0.blob($1) }
    }
    let recent = recent
    writer.number(UInt64(recent.count))
    recent.forEach { writer.fixed($0) }
    writer.number(UInt64(policyGeneration))
  }

  /// - Parameter device: finds the device by the number of its row.
  static func decodeRow(
    id: UInt64, _ reader: inout ByteReader, app: (String) -> App?, device: (UInt64) -> DeviceState?
  ) throws(ByteReader.Damage) -> RegistrationState {
    let version = try reader.byte()
    guard (1...codecVersion).contains(version) else {
      throw reader.damage("a registration of a version up to \(codecVersion)")
    }
    guard let owner = device(try reader.number()) else { throw reader.damage("the number of a stored device") }
    guard let app = app(try reader.text()) else { throw reader.damage("a bundle ID") }
    let environment: GatewayEnvironment = try reader.flag() ? .production : .development
    guard let token = DeviceToken(bytes: try reader.blob()) else { throw reader.damage("a device token") }
    let registration = RegistrationState(id: id, app: app, device: owner, environment: environment, token: token)
    registration.isActive = try reader.flag()
    var (widgets, states): ([Widget], [WidgetState]) = ([], [])
    for _ in 0..<(try reader.count(atMost: WidgetSet.capacity)) {
      widgets.append(
        Widget(
          kind: try reader.text(), family: try reader.family(),
          configuration: try reader.optional { (reader) throws(ByteReader.Damage) in try reader.text() }))
      states.append(try reader.state())
    }
    var left: [LeftCell] = []
    for _ in 0..<(try reader.count(atMost: 1 << 16)) {
      left.append(
        LeftCell(kind: try reader.text(), family: try reader.family(), cell: try reader.cell()))
    }
    registration.left = left
    var contents: [PushContent] = []
    for _ in 0..<(try reader.count(atMost: 1 << 16)) {
      contents.append(
        PushContent(
          number: try reader.ordinal(), id: try reader.pushID(),
          payload: try reader.optional { (reader) throws(ByteReader.Damage) in try reader.blob() }))
    }
    var digests: [UInt64] = []
    for _ in 0..<(try reader.count(atMost: RecentPushes.capacity)) { digests.append(try reader.fixed()) }
    if !digests.isEmpty {
      registration.remember()._withUnsafeGuaranteedRef { $0.recent = RecentPushes(oldestFirst: digests) }
    }
    registration.replace(widgets, states, naming: contents)
    // The first version did not say, and its stores hold one generation.
    registration.policyGeneration = version == 1 ? 0 : UInt32(truncatingIfNeeded: try reader.number())
    return registration
  }
}

extension ByteWriter {
  /// As a blob, without an array between.
  fileprivate func token(_ token: DeviceToken) {
    number(UInt64(token.count))
    for place in 0..<token.count { byte(token[place]) }
  }

  fileprivate func cell(_ cell: BudgetCell) {
    signed(cell.level)
    signed(cell.settledAt.milliseconds)
    signed(cell.chargedAt.milliseconds)
  }

  fileprivate func state(_ state: WidgetState) {
    cell(state.cell)
    number(state.lastNumber)
    optional(state.mark) {
      $0.number($1.number)
      $0.signed($1.expires.milliseconds)
      $0.signed($1.first.milliseconds)
      $0.byte($1.priority.rawValue)
    }
    optional(state.inFlight) {
      $0.number($1.epoch)
      $0.number($1.sequence)
      $0.number($1.number)
      $0.signed($1.expires.milliseconds)
    }
  }
}

extension ByteReader {
  fileprivate mutating func family() throws(Damage) -> WidgetFamily {
    guard let family = WidgetFamily(rawValue: try text()) else { throw damage("a widget family") }
    return family
  }

  fileprivate mutating func time() throws(Damage) -> LedgerTime { LedgerTime(milliseconds: try signed()) }

  fileprivate mutating func cell() throws(Damage) -> BudgetCell {
    BudgetCell(level: try level(), settledAt: try time(), chargedAt: try time())
  }

  fileprivate mutating func state() throws(Damage) -> WidgetState {
    var state = WidgetState(WidgetAccount(cell: try cell(), policy: 0, lastNumber: try ordinal()))
    state.mark = try optional { (reader) throws(Damage) in
      Mark(
        number: try reader.ordinal(), expires: try reader.time(), first: try reader.time(),
        priority: try reader.priority())
    }
    state.inFlight = try optional { (reader) throws(Damage) in
      InFlight(
        epoch: try reader.number(), sequence: try reader.number(), number: try reader.ordinal(),
        expires: try reader.time())
    }
    return state
  }
}
