import TokenStore

/// How a system draws a widget (Apple: WidgetRenderingMode).
enum RenderingMode: String, CaseIterable {
  case fullColor, accented, vibrant

  var title: String {
    switch self {
    case .fullColor: "full colour"
    case .accented: "accented"
    case .vibrant: "vibrant"
    }
  }

  /// Whether a family is ever drawn so: circular, corner and inline accessories have no colours of their own (Apple:
  /// Preparing widgets for additional platforms, contexts, and appearances).
  func applies(to family: WidgetFamily) -> Bool {
    switch (self, family) {
    case (.fullColor, .accessoryCircular), (.fullColor, .accessoryCorner), (.fullColor, .accessoryInline): false
    default: true
    }
  }
}
