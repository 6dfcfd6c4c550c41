/// `POST /v1/devices/<device>/receipts`, and `last-event-id` on the stream, which says the same: everything of the
/// named event's epoch up to and including that event has arrived.
package struct ReceiptRequest: Equatable, Sendable {
  package var upTo: EventID

  package init(upTo: EventID) { self.upTo = upTo }

  package static func parse(_ body: [UInt8]) throws(DeviceRefusal) -> ReceiptRequest {
    let object = try RequestObject(body: body, keys: ["upTo"])
    let text = try object.text("upTo")
    guard let id = EventID(text) else {
      throw DeviceRefusal(.badReceipt, "upTo is \(InputQuote(text)); \(DeviceError.badReceipt.standardDetail)")
    }
    return ReceiptRequest(upTo: id)
  }

  /// - Parameter lastEventID: the field's value. Empty means that nothing has been seen, as an `EventSource` has it
  ///   before its first event.
  package static func parse(lastEventID: UnsafeRawBufferPointer) throws(DeviceRefusal) -> ReceiptRequest? {
    guard !lastEventID.isEmpty else { return nil }
    guard let id = EventID(lastEventID) else {
      let text = String(decoding: lastEventID, as: UTF8.self)
      throw DeviceRefusal(
        .badReceipt, "last-event-id is \(InputQuote(text)); \(DeviceError.badReceipt.standardDetail)")
    }
    return ReceiptRequest(upTo: id)
  }
}
