/// An export under way, part by part. Confined to the thread of the request that asked for it.
public protocol RegistrationExport: AnyObject {
  /// Whole lines; nil at the end. A failure ends the export, and what was written so far is not all.
  func nextPart() throws(AdminFailure) -> [UInt8]?
}
