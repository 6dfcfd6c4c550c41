package import TokenStore

/// Every device, found by its id.
package struct DeviceIndex: Sequence {
  private let table = ProbeTable<DeviceState>()

  package var count: Int { table.count }

  package subscript(id: DeviceID) -> DeviceState? { table.find(hash: id.hashValue) { $0.id == id } }

  func insert(_ device: DeviceState) { table.insert(device) { $0.id.hashValue } }

  /// As ``insert(_:)``, unless another has its id.
  /// - Returns: whether it is in here now.
  func insertNew(_ device: DeviceState) -> Bool {
    table.insert(device) {
      $0.id.hashValue
    } unless: {
      $0.id == device.id
    }
  }

  /// Room for so many more.
  func makeRoom(for more: Int) { table.makeRoom(for: more) { $0.id.hashValue } }

  func remove(_ device: DeviceState) { table.remove(device) { $0.id.hashValue } }

  /// In no order, as they are now.
  package func makeIterator() -> IndexingIterator<[DeviceState]> { table.elements.makeIterator() }
}
