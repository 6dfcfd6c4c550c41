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
