/// An invariant that did not hold.
package struct Finding: Error, Sendable {
  package var seed: UInt64
  package var step: Int
  package var day: Double
  package var invariant: Invariant
  package var detail: String
  /// The last steps, oldest first.
  package var trail: [String]

  package init(seed: UInt64, step: Int, day: Double, invariant: Invariant, detail: String, trail: [String]) {
    self.seed = seed
    self.step = step
    self.day = day
    self.invariant = invariant
    self.detail = detail
    self.trail = trail
  }
}

extension Finding: CustomStringConvertible {
  package var description: String {
    let days = (day * 100).rounded() / 100
    return """
      seed \(seed), step \(step), day \(days): \(detail)
        broken: \(invariant.rawValue) (\(invariant))
        last steps:
      \(trail.map { "    \($0)" }.joined(separator: "\n"))
        replay: \(Self.command(for: seed))
      """
  }

  package static func command(for seed: UInt64) -> String { "make simulate SEED=\(seed)" }
}
