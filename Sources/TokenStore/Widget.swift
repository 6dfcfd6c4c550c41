/// One placed, push-enabled widget as its device reports it. WidgetKit gives instances no id, so equal ones are told
/// apart by their ordinal, which the registration assigns.
package struct Widget: Hashable, Sendable {
  package static let maximumKindBytes = 128
  package static let maximumConfigurationBytes = 1024

  package var kind: String
  package var family: WidgetFamily
  package var configuration: String?

  package init(kind: String, family: WidgetFamily, configuration: String? = nil) {
    self.kind = kind
    self.family = family
    self.configuration = configuration
  }
}
