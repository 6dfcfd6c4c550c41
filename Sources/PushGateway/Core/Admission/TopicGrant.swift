package import TokenStore

/// The bundle IDs that one credential may send to. A class because every push asks for one: handing it out is a
/// reference, not copies of its lists.
package final class TopicGrant: Sendable {
  /// What the provider showed.
  package enum Origin: Sendable { case key, certificate }

  package let origin: Origin
  package let patterns: [BundlePattern]
  /// The app whose widgets a push without `apns-topic` is for; nil where the header is required.
  package let standard: BundleID?
  /// Up to this many are compared one after another, which beats hashing a bundle ID.
  private static let fewEnough = 8
  private let exact: [BundleID]
  private let exactSet: Set<BundleID>
  private let families: [BundlePattern]

  package init(_ patterns: [BundlePattern], of origin: Origin = .key, standard: BundleID? = nil) {
    self.origin = origin
    self.patterns = patterns
    self.standard = standard
    var exact: [BundleID] = []
    var families: [BundlePattern] = []
    for pattern in patterns {
      if let bundleID = BundleID(pattern.description) { exact.append(bundleID) } else { families.append(pattern) }
    }
    exactSet = exact.count > Self.fewEnough ? Set(exact) : []
    self.exact = exact.count > Self.fewEnough ? [] : exact
    self.families = families
  }

  package func allows(_ bundleID: BundleID) -> Bool {
    for candidate in exact where candidate == bundleID { return true }
    if !exactSet.isEmpty, exactSet.contains(bundleID) { return true }
    for family in families where family.matches(bundleID) { return true }
    return false
  }
}
