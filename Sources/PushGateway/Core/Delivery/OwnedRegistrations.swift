/// The registrations of one device, in the order in which they came. Nearly every device has one, which then costs no
/// array.
package struct OwnedRegistrations: RandomAccessCollection {
  private var single: RegistrationState?
  private var rest: [RegistrationState] = []

  package var startIndex: Int { 0 }
  package var endIndex: Int { single == nil ? 0 : rest.count + 1 }

  package subscript(place: Int) -> RegistrationState {
    guard place == 0 else { return rest[place - 1] }
    guard let single else { preconditionFailure("A place in an empty list of registrations.") }
    return single
  }

  mutating func append(_ registration: RegistrationState) {
    if single == nil { single = registration } else { rest.append(registration) }
  }

  mutating func remove(_ registration: RegistrationState) {
    if single === registration {
      single = rest.isEmpty ? nil : rest.removeFirst()
    } else {
      rest.removeAll { $0 === registration }
    }
  }

  mutating func removeAll() { self = OwnedRegistrations() }
}
