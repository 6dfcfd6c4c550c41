import TokenStore

/// Pushes that reached several devices, such as those of a fan-out: only of them can the simulator know whom they should
/// have reached. A push tells its widgets' class apart, as a fan-out may be for some kinds, families or platforms.
struct CrowdPushes {
  struct WidgetClass: Hashable {
    let platform: Platform
    let kind: String
    let family: String
  }

  private struct Sighting {
    let first: Int64
    var device: Int
    var isCrowd = false
  }

  /// Older pushes are forgotten: single pushes to many devices are many, and never a crowd.
  private static let kept = 1024

  private var sightings: [String: Sighting] = [:]
  private var order: [String] = []
  private var oldest = 0
  private var newest: [WidgetClass: (push: String, first: Int64)] = [:]

  mutating func saw(_ push: String, at boot: Int64, on device: Int, classes: [WidgetClass]) {
    if sightings[push] == nil {
      sightings[push] = Sighting(first: boot, device: device)
      if order.count < Self.kept {
        order.append(push)
      } else {
        sightings[order[oldest]] = nil
        order[oldest] = push
        oldest = (oldest + 1) % Self.kept
      }
    }
    guard var sighting = sightings[push] else { return }
    if sighting.device != device, !sighting.isCrowd {
      sighting.isCrowd = true
      sightings[push] = sighting
    }
    guard sighting.isCrowd else { return }
    for one in classes where (newest[one]?.first ?? .min) < sighting.first { newest[one] = (push, sighting.first) }
  }

  /// A push for the widget's class reached others, and neither it nor anything later reached this one.
  func hasMissed(_ widget: SimulatedWidget, on platform: Platform) -> Bool {
    let own = WidgetClass(platform: platform, kind: widget.kind, family: widget.family)
    guard let (push, first) = newest[own], widget.placed < first else { return false }
    return widget.lastPush != push && (widget.lastRefresh ?? .min) < first
  }
}
