package import BudgetThrottle

extension RefreshPriority {
  /// Reads `apns-priority`.
  /// - Returns: nil unless `text` is `1`, `5` or `10`.
  package init?(_ text: UnsafeRawBufferPointer) {
    if text.equals("10") {
      self = .immediate
    } else if text.equals("5") {
      self = .grouped
    } else if text.equals("1") {
      self = .power
    } else {
      return nil
    }
  }
}
