/// Names one open update stream. Never reused, so what was meant for an ended stream finds nobody.
package struct SessionID: Hashable, Sendable {
  package let rawValue: UInt64
  package init(rawValue: UInt64) { self.rawValue = rawValue }
}
