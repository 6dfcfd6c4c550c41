/// An accepted body, and what is worth remembering about it.
package struct PayloadAcceptance: Equatable, Sendable {
  /// Byte for byte ``PayloadValidator/usual``, which nobody has to store.
  package let isUsual: Bool
  /// Why the strict check would have refused it; for the log, when the check is lenient.
  package let objection: PayloadFault?

  package init(isUsual: Bool, objection: PayloadFault? = nil) {
    self.isUsual = isUsual
    self.objection = objection
  }
}
