/// When a commit counts as durable.
package enum StoreDurability: Sendable {
  /// The disk has it: it survives a power cut.
  case full
  /// The kernel has it: it survives `kill -9`, not a power cut.
  case relaxed
}
