/// Names one descriptor's place in an ``EventLoop``: a slot, and the serial number of its use. A registration that was
/// removed is never equal to a later one in the same slot, so a stale event or a late `remove` finds nothing.
package struct Registration: Hashable, Sendable {
  let slot: UInt32
  let serial: UInt32

  init(slot: UInt32, serial: UInt32) {
    self.slot = slot
    self.serial = serial
  }

  /// The 64 bits that epoll carries for us.
  var packed: UInt64 { UInt64(serial) << 32 | UInt64(slot) }

  init(packed: UInt64) {
    slot = UInt32(truncatingIfNeeded: packed)
    serial = UInt32(truncatingIfNeeded: packed >> 32)
  }
}
