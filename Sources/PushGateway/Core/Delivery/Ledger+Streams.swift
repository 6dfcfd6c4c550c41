package import BudgetThrottle
package import TokenStore

extension Ledger {
  /// A device opened its update stream. An older one of the same device ends. What has no receipt is sent again, in
  /// its order and with its ids, uncharged; then what is due follows.
  /// - Parameter last: `last-event-id`, which counts as a receipt.
  package func attach(_ device: DeviceState, as session: SessionID, last: EventID?, at now: LedgerTime) {
    if case .attached(let older, _) = device.link {
      pendingDeliveries.append(.endStream(older))
      end(device)
    }
    if let last { receive(last, from: device, at: now) }
    device.link = .attached(session, isWritable: true)
    attachedCount += 1
    if sendAgain(to: device, over: session, at: now) {
      device.link = .attached(session, isWritable: false)
      // Low-priority windows and budgets go on running meanwhile; the emptied output looks at all of them.
    } else {
      handOverAll(of: device, at: now)
    }
  }

  /// The stream is gone. What the device said of itself ends with it; what it holds unconfirmed stays in flight.
  package func detach(_ device: DeviceState, session: SessionID) {
    guard case .attached(session, _) = device.link else { return }
    end(device)
  }

  private func end(_ device: DeviceState) {
    device.link = .away
    attachedCount -= 1
    // The next stream looks at everything; until then no time that comes is any of its widgets'.
    for registration in device.registrations { deadlines.remove(registration) }
  }

  /// - Returns: false when the event was never sent: a receipt from the future.
  @discardableResult
  package func receive(_ upTo: EventID, from device: DeviceState, at now: LedgerTime) -> Bool {
    if upTo.epoch > epoch || (upTo.epoch == epoch && upTo.sequence >= nextSequence) { return false }
    for registration in device.registrations {
      var confirmed = WidgetSet()
      for push in registration.standing {
        guard case .inFlight(let flight) = push.role, flight.isConfirmed(by: upTo.epoch, upTo: upTo.sequence) else {
          continue
        }
        confirmed = confirmed.union(push.widgets)
        fanOuts.note(push.widgets.count, as: .received, of: flight.number)
        record(.received, push.content, push.widgets, of: registration, at: now)
      }
      guard !confirmed.isEmpty else { continue }
      counts.widgetsReceived += UInt64(confirmed.count)
      commit(.received(epoch: upTo.epoch, sequence: upTo.sequence), to: registration)
    }
    return true
  }

  /// What the device says of itself. Absent (nil) leaves as it was.
  package struct DeviceSays: Sendable {
    package var foreground: BundleID??
    package var session: DeviceState.AppSession??
    package var isAsleep: Bool?

    package init(
      foreground: BundleID?? = nil, session: DeviceState.AppSession?? = nil, isAsleep: Bool? = nil
    ) {
      self.foreground = foreground
      self.session = session
      self.isAsleep = isAsleep
    }
  }

  /// Takes effect at once, also for waiting widgets. Without a stream it has nothing to last for, and is forgotten.
  package func heard(_ said: DeviceSays, from device: DeviceState, at now: LedgerTime) {
    guard device.isAttached else { return }
    if let foreground = said.foreground { device.foreground = foreground }
    if let session = said.session { device.session = session }
    if let isAsleep = said.isAsleep { device.isAsleep = isAsleep }
    handOverAll(of: device, at: now)
  }

  private struct Unconfirmed {
    var id: EventID
    var registration: RegistrationState
    var content: PushContent
    var widgets: WidgetSet
  }

  private func sendAgain(to device: DeviceState, over session: SessionID, at now: LedgerTime) -> Bool {
    var events: [Unconfirmed] = []
    for registration in device.registrations {
      var dead = WidgetSet()
      var found: [EventID: Int] = [:]
      for push in registration.standing {
        guard case .inFlight(let flight) = push.role else { continue }
        guard flight.expires > now else {
          dead = dead.union(push.widgets)
          continue
        }
        let id = EventID(epoch: flight.epoch, sequence: flight.sequence)
        if let place = found[id] {
          events[place].widgets = events[place].widgets.union(push.widgets)
        } else {
          found[id] = events.count
          events.append(
            Unconfirmed(id: id, registration: registration, content: push.content, widgets: push.widgets))
        }
      }
      if !dead.isEmpty { commit(.cleared(marks: WidgetSet(), inFlight: dead), to: registration) }
    }
    events.sort { ($0.id.epoch, $0.id.sequence) < ($1.id.epoch, $1.id.sequence) }
    for event in events {
      counts.eventsSentAgain += 1
      record(.sentAgain(event.id), event.content, event.widgets, of: event.registration, at: now)
      deliver(event.content, event.widgets, event.id, of: event.registration, to: session)
    }
    return !events.isEmpty
  }
}
