/// Why a line of an import was not taken over. The codes of what a device may not register are those that a device gets.
package struct ImportRefusal: Error, Equatable, Sendable {
  /// For programs.
  package var code: String
  /// For people: what is wrong and how it can be mended.
  package var detail: String

  package init(_ code: String, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  package init(_ refusal: DeviceRefusal) { self.init(refusal.error.rawValue, refusal.detail) }
}
