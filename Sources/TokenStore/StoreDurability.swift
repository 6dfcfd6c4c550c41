/// When a commit counts as durable.
public enum StoreDurability: String, CaseIterable, Sendable {
  /// The disk has it: it survives a power cut.
  case full
  /// The kernel has it: it survives `kill -9`, not a power cut.
  case relaxed
}
