import BudgetThrottle
import TokenStore

/// Reads the rows of registrations that ``RegistrationState/encodeRow(into:)`` wrote, and keeps what they share. One for a
/// whole table: a million rows are read at a start, so that a row asks the heap for the registration and nothing else,
/// as long as no push stands in it.
final class RegistrationReader {
  private let apps = SharedValues<App>()
  private let lists = SharedValues<[Widget]>()
  // Of the row that is being read.
  private let list = ByteWriter(reserving: 1024)
  private var roles: [(widget: Int, number: UInt64, role: StandingPush.Role)] = []
  private var contents: [PushContent] = []

  /// - Parameters:
  ///   - app: the one that all share whose bundle ID this is; nil where it is none.
  ///   - device: finds the device by the number of its row.
  ///   - intern: the list that all share which have an equal one.
  func read(
    id: UInt64, _ reader: inout ByteReader, app: (String) -> App?, device: (UInt64) -> DeviceState?,
    intern: ([Widget]) -> [Widget]
  ) throws(ByteReader.Damage) -> RegistrationState {
    let version = try reader.byte()
    guard (1...RegistrationState.codecVersion).contains(version) else {
      throw reader.damage("a registration of a version up to \(RegistrationState.codecVersion)")
    }
    guard let owner = device(try reader.number()) else { throw reader.damage("the number of a stored device") }
    let start = reader.position
    let app = try apps.value(of: try reader.borrowedText()) { () throws(ByteReader.Damage) in
      var again = reader.back(at: start)
      guard let app = app(try again.text()) else { throw again.damage("a bundle ID") }
      return app
    }
    let environment: GatewayEnvironment = try reader.flag() ? .production : .development
    guard let token = DeviceToken(bytes: try reader.borrowedBlob()) else { throw reader.damage("a device token") }
    let registration = RegistrationState(id: id, app: app, device: owner, environment: environment, token: token)
    registration.isActive = try reader.flag()
    try readWidgets(of: registration, &reader, intern)
    try readLeft(of: registration, &reader)
    try readPushes(of: registration, &reader)
    // The first version did not say, and its stores hold one generation.
    registration.policyGeneration = version == 1 ? 0 : UInt32(truncatingIfNeeded: try reader.number())
    return registration
  }

  /// What a widget is and how it stands lie side by side in the row. The first half of all widgets together names the
  /// list, in ``list``.
  private func readWidgets(
    of registration: RegistrationState, _ reader: inout ByteReader, _ intern: ([Widget]) -> [Widget]
  ) throws(ByteReader.Damage) {
    list.removeAll()
    roles.removeAll(keepingCapacity: true)
    var accounts = WidgetAccounts()
    let count = try reader.count(atMost: WidgetSet.capacity)
    let start = reader.position
    for place in 0..<count {
      let start = reader.position
      try reader.skipWidget()
      list.append(reader.borrowed(since: start))
      accounts.append(try reader.account())
      if let mark = try reader.mark() { roles.append((place, mark.number, .marks(mark))) }
      if let flight = try reader.inFlight() { roles.append((place, flight.number, .inFlight(flight))) }
    }
    let widgets = try lists.value(of: list.borrowed) { () throws(ByteReader.Damage) in
      var widgets: [Widget] = []
      var again = reader.back(at: start)
      for _ in 0..<count {
        widgets.append(try again.widget())
        _ = (try again.account(), try again.mark(), try again.inFlight())
      }
      return intern(widgets)
    }
    registration.setWidgets(widgets, accounts)
  }

  private func readLeft(of registration: RegistrationState, _ reader: inout ByteReader) throws(ByteReader.Damage) {
    let count = try reader.count(atMost: 1 << 16)
    guard count > 0 else { return }
    var left: [LeftCell] = []
    for _ in 0..<count {
      left.append(LeftCell(kind: try reader.text(), family: try reader.family(), cell: try reader.cell()))
    }
    registration.left = left
  }

  /// Those that marks and hand-overs name, and the digests of the last ones.
  private func readPushes(of registration: RegistrationState, _ reader: inout ByteReader) throws(ByteReader.Damage) {
    contents.removeAll(keepingCapacity: true)
    for _ in 0..<(try reader.count(atMost: 1 << 16)) {
      contents.append(
        PushContent(
          number: try reader.ordinal(), id: try reader.pushID(),
          payload: try reader.optional { (reader) throws(ByteReader.Damage) in try reader.blob() }))
    }
    var recent = RecentPushes()
    let digestCount = try reader.count(atMost: RecentPushes.capacity)
    for _ in 0..<digestCount { recent.insert(try reader.fixed()) }
    var standing = StandingPushes()
    for (widget, number, role) in roles {
      // A mark without its push, which only a damaged store can bring, is none.
      guard let content = contents.first(where: { $0.number == number }) else { continue }
      standing.add(StandingPush(content: content, widgets: WidgetSet(only: widget), role: role))
    }
    guard digestCount > 0 || !standing.isEmpty else { return }
    registration.remember()._withUnsafeGuaranteedRef { memory in
      memory.recent = recent
      memory.changeStanding { $0 = standing }
    }
  }
}

extension ByteReader {
  fileprivate mutating func widget() throws(Damage) -> Widget {
    Widget(
      kind: try text(), family: try family(),
      configuration: try optional { (reader) throws(Damage) in try reader.text() })
  }

  fileprivate mutating func skipWidget() throws(Damage) {
    _ = try borrowedText()
    _ = try borrowedText()
    if try flag() { _ = try borrowedText() }
  }

  fileprivate mutating func family() throws(Damage) -> WidgetFamily {
    guard let family = WidgetFamily(rawValue: try text()) else { throw damage("a widget family") }
    return family
  }

  fileprivate mutating func time() throws(Damage) -> LedgerTime { LedgerTime(milliseconds: try signed()) }

  fileprivate mutating func cell() throws(Damage) -> BudgetCell {
    BudgetCell(level: try level(), settledAt: try time(), chargedAt: try time())
  }

  fileprivate mutating func account() throws(Damage) -> WidgetAccount {
    WidgetAccount(cell: try cell(), policy: 0, lastNumber: try ordinal())
  }

  fileprivate mutating func mark() throws(Damage) -> Mark? {
    guard try flag() else { return nil }
    return Mark(number: try ordinal(), expires: try time(), first: try time(), priority: try priority())
  }

  fileprivate mutating func inFlight() throws(Damage) -> InFlight? {
    guard try flag() else { return nil }
    return InFlight(epoch: try number(), sequence: try number(), number: try ordinal(), expires: try time())
  }
}
