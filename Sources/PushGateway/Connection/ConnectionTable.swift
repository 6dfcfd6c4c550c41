/// All connections of one loop, by their id.
struct ConnectionTable {
  private let loop: UInt16
  private var slots: [HTTPConnection?] = []
  private var serials: [UInt32] = []
  private var free: [UInt32] = []

  init(loop: UInt16) { self.loop = loop }

  var count: Int { slots.count - free.count }

  /// The id that the next connection will have.
  mutating func reserve() -> ConnectionID {
    if let slot = free.popLast() { return ConnectionID(loop: loop, slot: slot, serial: serials[Int(slot)]) }
    slots.append(nil)
    serials.append(0)
    return ConnectionID(loop: loop, slot: UInt32(slots.count - 1), serial: 0)
  }

  mutating func insert(_ connection: HTTPConnection) { slots[Int(connection.id.slot)] = connection }

  /// Also gives back an id that was reserved and not used.
  mutating func remove(_ id: ConnectionID) {
    guard serials[Int(id.slot)] == id.serial else { return }
    slots[Int(id.slot)] = nil
    serials[Int(id.slot)] &+= 1
    free.append(id.slot)
  }

  subscript(id: ConnectionID) -> HTTPConnection? {
    let slot = Int(id.slot)
    return slot < slots.count && serials[slot] == id.serial ? slots[slot] : nil
  }

  var all: [HTTPConnection] { slots.compactMap(\.self) }
}
