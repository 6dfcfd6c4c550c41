/// The registrations of one device, in the order in which they came. Nearly every device has one, which then costs no
/// array, and the choice between the two costs nothing either.
package struct OwnedRegistrations: RandomAccessCollection {
  private final class Several {
    var all: [RegistrationState]
    init(_ all: [RegistrationState]) { self.all = all }
  }

  private enum Owned {
    case none
    case one(RegistrationState)
    case several(Several)
  }

  private var owned = Owned.none

  package var startIndex: Int { 0 }
  package var endIndex: Int {
    switch owned {
    case .none: 0
    case .one: 1
    case .several(let several): several.all.count
    }
  }

  package subscript(place: Int) -> RegistrationState {
    switch owned {
    case .one(let registration) where place == 0: return registration
    case .several(let several): return several.all[place]
    default: preconditionFailure("A place outside a list of registrations.")
    }
  }

  mutating func append(_ registration: RegistrationState) {
    if case .none = owned { owned = .one(registration) } else { replace(Array(self) + [registration]) }
  }

  mutating func remove(_ registration: RegistrationState) { replace(filter { $0 !== registration }) }

  mutating func removeAll() { owned = .none }

  private mutating func replace(_ all: [RegistrationState]) {
    owned = all.isEmpty ? .none : all.count == 1 ? .one(all[0]) : .several(Several(all))
  }
}
