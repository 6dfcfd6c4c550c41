package import BudgetThrottle
import TokenStore

/// One thing that happened to one registration, as the journal keeps it.
///
/// Records hold effects and not requests: a charge is the level that it left, so that replay needs neither policies
/// nor clocks and cannot come to another result. Live work and replay go through the same
/// ``RegistrationState/apply(_:)``.
package enum LedgerRecord: Equatable, Sendable {
  /// A push was accepted: `marked` widgets are stale now, `dropped` ones have only seen its number (expiration 0).
  case pushed(PushRecord)
  case handedOver(HandOverRecord)
  /// Hand-overs of `epoch` up to `sequence` are confirmed.
  case received(epoch: UInt64, sequence: UInt64)
  /// What died: marks, and hand-overs that will not be sent again.
  case cleared(marks: WidgetSet, inFlight: WidgetSet)

  package struct PushRecord: Equatable, Sendable {
    package var content: PushContent
    package var marked: WidgetSet
    package var dropped: WidgetSet
    package var expires: LedgerTime
    package var priority: RefreshPriority
    package var at: LedgerTime
  }

  package struct HandOverRecord: Equatable, Sendable {
    package var epoch: UInt64
    package var sequence: UInt64
    package var widgets: WidgetSet
    package var charged: WidgetSet
    /// The level that each charged widget's cell has afterwards, in their order.
    package var levels: [Int64]
    package var at: LedgerTime
  }
}

extension RegistrationState {
  /// The only place where a record changes a registration.
  func apply(_ record: LedgerRecord) {
    switch record {
    case .pushed(let push):
      if !push.marked.isEmpty {
        contents.append(push.content)
        let mark = Mark(
          number: push.content.number, expires: push.expires, first: push.at, priority: push.priority)
        Self.mark(&states, push.marked, by: mark)
        if contents.count > 1 { pruneContents() }
      }
      for index in push.dropped where index < states.count {
        states[index].lastNumber = max(states[index].lastNumber, push.content.number)
      }
      recent.insert(RecentPushes.digest(of: push.content.id))
    case .handedOver(let handOver):
      var levels = handOver.levels.makeIterator()
      for index in handOver.widgets where index < states.count {
        if handOver.charged.contains(index), let level = levels.next() {
          states[index].cell.charged(to: level, at: handOver.at)
        }
        states[index].handedOver(epoch: handOver.epoch, sequence: handOver.sequence)
      }
      if contents.count > 1 { pruneContents() }
    case .received(let epoch, let sequence):
      for index in states.indices { states[index].received(epoch: epoch, upTo: sequence) }
      pruneContents()
    case .cleared(let marks, let inFlight):
      for index in marks where index < states.count { states[index].mark = nil }
      for index in inFlight where index < states.count { states[index].inFlight = nil }
      pruneContents()
    }
  }

  /// One access to the list for all of a push's widgets.
  private static func mark(_ states: inout [WidgetState], _ marked: WidgetSet, by mark: Mark) {
    for index in marked where index < states.count { states[index].marked(by: mark) }
  }
}
