package import BudgetThrottle

/// The accounts of one registration's widgets, in their order. Nearly every registration has one or two, which then
/// cost no array: there are a million of these.
package struct WidgetAccounts: RandomAccessCollection, MutableCollection {
  private var first = Self.nobodys
  private var second = Self.nobodys
  private var held: UInt8 = 0
  private var rest: [WidgetAccount] = []

  private static let nobodys = WidgetAccount(
    cell: BudgetCell(level: 0, settledAt: .distantPast, chargedAt: .distantPast), policy: 0)

  package init() {}

  /// - Parameter accounts: at most ``WidgetSet/capacity``.
  package init(_ accounts: some Sequence<WidgetAccount>) {
    for account in accounts { append(account) }
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { Int(held) }

  package subscript(place: Int) -> WidgetAccount {
    get {
      precondition(place >= 0 && place < held, "A widget that the registration does not have.")
      switch place {
      case 0: return first
      case 1: return second
      default: return rest[place - 2]
      }
    }
    set {
      precondition(place >= 0 && place < held, "A widget that the registration does not have.")
      switch place {
      case 0: first = newValue
      case 1: second = newValue
      default: rest[place - 2] = newValue
      }
    }
  }

  mutating func append(_ account: WidgetAccount) {
    switch held {
    case 0: first = account
    case 1: second = account
    default: rest.append(account)
    }
    held += 1
  }
}
