package import TokenStore

/// Every device, found by its id.
package struct DeviceIndex: Sequence {
  private var table = ProbeTable<DeviceState>()

  package var count: Int { table.count }

  package subscript(id: DeviceID) -> DeviceState? { table.find(hash: id.hashValue) { $0.id == id } }

  mutating func insert(_ device: DeviceState) { table.insert(device) { $0.id.hashValue } }

  mutating func remove(_ device: DeviceState) { table.remove(device) { $0.id.hashValue } }

  package struct Iterator: IteratorProtocol {
    fileprivate var devices: ProbeTable<DeviceState>.Iterator

    package mutating func next() -> DeviceState? { devices.next() }
  }

  /// In no order.
  package func makeIterator() -> Iterator { Iterator(devices: table.makeIterator()) }
}
