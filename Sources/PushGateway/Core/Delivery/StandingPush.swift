import BudgetThrottle

/// One push that some widgets of a registration still name: it marks them, or it is on its way to their device.
struct StandingPush {
  enum Role: Equatable {
    case marks(Mark)
    case inFlight(InFlight)
  }

  var content: PushContent
  /// Never empty where anybody looks.
  var widgets: WidgetSet
  var role: Role
}
