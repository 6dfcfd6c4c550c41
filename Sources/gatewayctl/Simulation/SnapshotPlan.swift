/// Which device is drawn, and where.
struct SnapshotPlan {
  let path: String
  /// From 1.
  let device: Int
}
