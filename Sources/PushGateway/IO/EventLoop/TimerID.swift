/// Names one scheduled timer. After it fired or was cancelled the name is dead: cancelling it again does nothing.
package struct TimerID: Hashable, Sendable {
  let slot: UInt32
  let serial: UInt32
}
