/// Where systems show widgets (Apple: WidgetLocation, and the places of the other platforms).
enum ScreenPlace: String, CaseIterable {
  case homeScreen, todayView, lockScreen, standBy, carPlay, desktop, notificationCenter, watchFace, smartStack, room

  var title: String {
    switch self {
    case .homeScreen: "Home Screen"
    case .todayView: "Today View"
    case .lockScreen: "Lock Screen"
    case .standBy: "StandBy"
    case .carPlay: "CarPlay"
    case .desktop: "Desktop"
    case .notificationCenter: "Notification Center"
    case .watchFace: "Watch face"
    case .smartStack: "Smart Stack"
    case .room: "Room"
    }
  }
}
