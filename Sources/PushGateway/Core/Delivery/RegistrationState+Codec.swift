import BudgetThrottle
import TokenStore

/// The stored row of a registration: everything but what is looked up anew at a start.
extension RegistrationState {
  static let codecVersion: UInt8 = 2

  func encodeRow(into writer: ByteWriter) {
    writer.byte(Self.codecVersion)
    writer.number(device.number)
    writer.text(app.bundleID.description)
    writer.byte(environment == .production ? 1 : 0)
    writer.token(token)
    writer.byte(isActive ? 1 : 0)
    writer.number(UInt64(widgets.count))
    let (accounts, standing) = (accounts, standing)
    for (place, widget) in widgets.enumerated() {
      writer.text(widget.kind)
      writer.text(widget.family.rawValue)
      writer.optional(widget.configuration) { $0.text($1) }
      writer.account(accounts[place])
      writer.optional(standing.mark(of: place)) { $0.mark($1) }
      writer.optional(standing.inFlight(of: place)) { $0.inFlight($1) }
    }
    let left = left
    writer.number(UInt64(left.count))
    for cell in left {
      writer.text(cell.kind)
      writer.text(cell.family.rawValue)
      writer.cell(cell.cell)
    }
    let contents = contents
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
}

extension ByteWriter {
  /// As a blob, without an array between.
  fileprivate func token(_ token: DeviceToken) {
    number(UInt64(token.count))
    token.withBytes { append($0) }
  }

  fileprivate func cell(_ cell: BudgetCell) {
    signed(cell.level)
    signed(cell.settledAt.milliseconds)
    signed(cell.chargedAt.milliseconds)
  }

  fileprivate func account(_ account: WidgetAccount) {
    cell(account.cell)
    number(account.lastNumber)
  }

  fileprivate func mark(_ mark: Mark) {
    number(mark.number)
    signed(mark.expires.milliseconds)
    signed(mark.first.milliseconds)
    byte(mark.priority.rawValue)
  }

  fileprivate func inFlight(_ flight: InFlight) {
    number(flight.epoch)
    number(flight.sequence)
    number(flight.number)
    signed(flight.expires.milliseconds)
  }
}
