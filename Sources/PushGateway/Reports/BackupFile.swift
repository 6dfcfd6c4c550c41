/// A copy of the store that has no name: it is gone when its descriptor is closed, which is for the receiver to do.
public struct BackupFile: Sendable, Equatable {
  public var descriptor: Int32
  public var bytes: Int

  public init(descriptor: Int32, bytes: Int) {
    self.descriptor = descriptor
    self.bytes = bytes
  }
}
