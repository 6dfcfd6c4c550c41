import TokenStore

/// What lies behind the widgets of one screen.
struct Backdrop {
  let panel: ScreenPanel
  let platform: Platform
  /// Of its gradient, once in a picture.
  let name: String

  func paint(on canvas: inout SVGCanvas) {
    let (width, height) = (panel.width, panel.height)
    switch panel.place {
    case .homeScreen:
      frame(on: &canvas, radius: 52, from: "#5E7FB8", to: "#2B2D5B")
      statusBar(on: &canvas)
      dock(on: &canvas, y: height - 92, icons: platform == .iOS ? 4 : 6)
    case .todayView, .notificationCenter:
      frame(on: &canvas, radius: 36, from: "#56627E", to: "#313A55")
      canvas.text(panel.place.title, 28, 48, size: 24, fill: "#FFFFFF", weight: 700)
    case .lockScreen:
      frame(on: &canvas, radius: 52, from: "#7B5E8C", to: "#1F3A4D")
      let inline = panel.items.filter { $0.y < 90 && $0.scale == 1 }.count
      let first = panel.items.map(\.y).filter { $0 > 56 + Double(inline) * 30 }.min()
      let baseline = first.map { $0 - 28 } ?? 56 + Double(inline) * 30 + 80
      canvas.text("9:41", width / 2, baseline, size: 84, fill: "#FFFFFF", weight: 600, anchor: .middle, opacity: 0.92)
      canvas.rectangle(width / 2 - 60, height - 16, 120, 5, radius: 2.5, fill: "rgba(255,255,255,0.7)")
    case .standBy, .carPlay:
      frame(on: &canvas, radius: panel.place == .standBy ? 40 : 24, from: "#0B0B0D", to: "#000000")
    case .desktop:
      frame(on: &canvas, radius: 14, from: "#C98A62", to: "#46618C")
      canvas.rectangle(0, 0, width, 26, radius: 0, fill: "rgba(255,255,255,0.35)")
      canvas.text("Finder   File   Edit   View", 18, 18, size: 12.5, fill: "#1B1B1F", weight: 600)
      canvas.text("9:41", width - 18, 18, size: 12.5, fill: "#1B1B1F", weight: 600, anchor: .end)
      dock(on: &canvas, y: height - 70, icons: 8, size: 44)
    case .watchFace: watchFace(on: &canvas)
    case .smartStack:
      frame(on: &canvas, radius: 64, from: "#17181C", to: "#000000")
      canvas.text("9:41", width - 30, 42, size: 18, fill: "#FFFFFF", weight: 600, anchor: .end)
    case .room: room(on: &canvas)
    }
  }

  private func frame(on canvas: inout SVGCanvas, radius: Double, from: String, to: String) {
    let fill = canvas.gradient(name, from: from, to: to)
    canvas.rectangle(
      0, 0, panel.width, panel.height, radius: radius, fill: fill, stroke: "rgba(0,0,0,0.55)", strokeWidth: 2)
  }

  private func statusBar(on canvas: inout SVGCanvas) {
    canvas.text("9:41", 36, 36, size: 15, fill: "#FFFFFF", weight: 700)
    canvas.rectangle(panel.width - 62, 24, 26, 13, radius: 4, fill: "none", stroke: "#FFFFFF", strokeWidth: 1.5)
    canvas.rectangle(panel.width - 59.5, 26.5, 17, 8, radius: 2, fill: "#FFFFFF")
  }

  private func dock(on canvas: inout SVGCanvas, y: Double, icons: Int, size: Double = 58) {
    let width = Double(icons) * (size + 18) + 18
    let x = (panel.width - width) / 2
    canvas.rectangle(x, y, width, size + 20, radius: size * 0.45, fill: "rgba(255,255,255,0.22)")
    for index in 0..<icons {
      canvas.rectangle(
        x + 18 + Double(index) * (size + 18), y + 10, size, size, radius: size * 0.24, fill: "rgba(255,255,255,0.38)")
    }
  }

  private func watchFace(on canvas: inout SVGCanvas) {
    canvas.rectangle(-8, -8, panel.width + 16, panel.height + 16, radius: 82, fill: "#3B3B40")
    canvas.rectangle(0, 0, panel.width, panel.height, radius: 74, fill: "#000000")
    canvas.text(
      "9:41", panel.width / 2, 170, size: 54, fill: panel.mode == .accented ? Palette.tint : "#FFFFFF", weight: 600,
      anchor: .middle)
  }

  private func room(on canvas: inout SVGCanvas) {
    let (width, height) = (panel.width, panel.height)
    let wall = canvas.gradient(name, from: "#D9CDBB", to: "#B7A68D", isDiagonal: false)
    canvas.rectangle(0, 0, width, height, radius: 28, fill: wall, stroke: "rgba(0,0,0,0.35)", strokeWidth: 1.5)
    let floor = canvas.gradient(name + "floor", from: "#8B6B4A", to: "#5F452D", isDiagonal: false)
    canvas.rectangle(1, height - 120, width - 2, 119, radius: 27, fill: floor)
    canvas.rectangle(1, height - 120, width - 2, 30, fill: floor)
    canvas.rectangle(0, height - 128, width, 9, fill: "#F1EADF")
    // A sideboard, so that the size of things on the wall can be seen.
    canvas.rectangle(width - 300, height - 168, 240, 96, radius: 6, fill: "#6E5136")
    canvas.rectangle(width - 292, height - 160, 108, 80, radius: 4, fill: "#7D5E40")
    canvas.rectangle(width - 176, height - 160, 108, 80, radius: 4, fill: "#7D5E40")
    for item in panel.items {
      let shape = item.shape
      // Elevated: a frame that stands off the wall.
      canvas.rectangle(
        item.x - 2, item.y + 6, shape.width + 10, shape.height + 8, radius: 32, fill: "rgba(40,28,16,0.28)")
      canvas.rectangle(
        item.x - 6, item.y - 6, shape.width + 12, shape.height + 12, radius: 34, fill: "#F7F3EC",
        stroke: "rgba(0,0,0,0.18)")
      if panel.mode == .accented {
        canvas.rectangle(item.x, item.y, shape.width, shape.height, radius: 28, fill: "#4A4038")
      }
    }
  }
}
