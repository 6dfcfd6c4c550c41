/// Provider tokens that were found genuine, by their exact bytes: one signature check for each text and not one for
/// each connection. Only genuine tokens get in, so nobody without a key can fill it.
///
/// Owned by one loop, for one environment. When full, the token goes that nobody has shown for the longest time.
package struct VerifiedTokenCache {
  package static let defaultCapacity = 1024

  /// One token, and its neighbours in the order of use, as indexes; -1 at either end.
  private struct Entry {
    var text: [UInt8]
    var credential: ProviderCredential
    var newer: Int
    var older: Int
  }

  private let capacity: Int
  private var places: [[UInt8]: Int] = [:]
  private var entries: [Entry] = []
  private var newest = -1
  private var oldest = -1

  package init(capacity: Int = Self.defaultCapacity) { self.capacity = max(1, capacity) }

  package var count: Int { entries.count }

  /// What the keyring of this generation vouched for. Counts as a use.
  package mutating func credential(for text: UnsafeRawBufferPointer, generation: UInt32) -> ProviderCredential? {
    guard let place = places[Array(text)] else { return nil }
    touch(place)
    let credential = entries[place].credential
    return credential.generation == generation ? credential : nil
  }

  package mutating func insert(_ credential: ProviderCredential, for text: UnsafeRawBufferPointer) {
    let bytes = Array(text)
    if let place = places[bytes] {
      entries[place].credential = credential
      touch(place)
      return
    }
    let place: Int
    if entries.count < capacity {
      place = entries.count
      entries.append(Entry(text: bytes, credential: credential, newer: -1, older: -1))
    } else {
      place = oldest
      detach(place)
      places[entries[place].text] = nil
      entries[place] = Entry(text: bytes, credential: credential, newer: -1, older: -1)
    }
    places[bytes] = place
    putFirst(place)
  }

  package mutating func removeAll() {
    places.removeAll()
    entries.removeAll()
    newest = -1
    oldest = -1
  }

  // MARK: Order of use

  private mutating func touch(_ place: Int) {
    guard place != newest else { return }
    detach(place)
    putFirst(place)
  }

  private mutating func detach(_ place: Int) {
    let (newer, older) = (entries[place].newer, entries[place].older)
    if newer >= 0 { entries[newer].older = older } else { newest = older }
    if older >= 0 { entries[older].newer = newer } else { oldest = newer }
  }

  private mutating func putFirst(_ place: Int) {
    entries[place].newer = -1
    entries[place].older = newest
    if newest >= 0 { entries[newest].newer = place } else { oldest = place }
    newest = place
  }
}
