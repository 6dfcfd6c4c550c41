/// The families of WidgetKit (Apple: WidgetFamily).
package enum WidgetFamily: String, CaseIterable, Sendable, Codable {
  case systemSmall, systemMedium, systemLarge, systemExtraLarge, systemExtraLargePortrait
  case accessoryCircular, accessoryRectangular, accessoryInline, accessoryCorner
}
