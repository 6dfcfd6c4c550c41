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

    package init(
      content: PushContent, marked: WidgetSet, dropped: WidgetSet, expires: LedgerTime, priority: RefreshPriority,
      at: LedgerTime
    ) {
      self.content = content
      self.marked = marked
      self.dropped = dropped
      self.expires = expires
      self.priority = priority
      self.at = at
    }
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
      let marked = push.marked.intersection(WidgetSet(first: accounts.count))
      remember()._withUnsafeGuaranteedRef { memory in
        if !marked.isEmpty {
          let mark = Mark(
            number: push.content.number, expires: push.expires, first: push.at, priority: push.priority)
          memory.changeStanding { $0.mark(marked, by: mark, push.content) }
        }
        memory.recent.insert(RecentPushes.digest(of: push.content.id))
      }
      changeAccounts { Self.note(push.content.number, in: &$0, marked.union(push.dropped)) }
    case .handedOver(let handOver):
      changeAccounts { Self.charge(&$0, handOver) }
      memory?._withUnsafeGuaranteedRef {
        $0.changeStanding { $0.handOver(handOver.widgets, epoch: handOver.epoch, sequence: handOver.sequence) }
      }
    case .received(let epoch, let sequence):
      memory?._withUnsafeGuaranteedRef { $0.changeStanding { $0.receive(epoch: epoch, upTo: sequence) } }
    case .cleared(let marks, let inFlight):
      memory?._withUnsafeGuaranteedRef { $0.changeStanding { $0.clear(marks: marks, inFlight: inFlight) } }
    }
  }

  private static func charge(_ accounts: inout WidgetAccounts, _ handOver: LedgerRecord.HandOverRecord) {
    var levels = handOver.levels.makeIterator()
    for index in handOver.charged where index < accounts.count {
      if let level = levels.next() { accounts[index].cell.charged(to: level, at: handOver.at) }
    }
  }

  private static func note(_ number: UInt64, in accounts: inout WidgetAccounts, _ widgets: WidgetSet) {
    for index in widgets where index < accounts.count {
      accounts[index].lastNumber = max(accounts[index].lastNumber, number)
    }
  }
}
