package import BudgetThrottle
package import TokenStore

/// The header block of a push, judged. After this nothing looks at a header again.
package struct PushHead: Equatable, Sendable {
  /// As the client sent it; nil means that the gateway has to make one.
  package let id: PushID?
  package let expiration: PushExpiration
  /// 10 where the field is absent.
  package let priority: RefreshPriority
  package let hasCollapseID: Bool
  /// nil and the general types are here only when `checks.push-type` is lenient.
  package let type: PushType?
  package let bundleID: BundleID
  package let path: PushPath

  package init(
    id: PushID?, expiration: PushExpiration, priority: RefreshPriority, hasCollapseID: Bool, type: PushType?,
    bundleID: BundleID, path: PushPath
  ) {
    self.id = id
    self.expiration = expiration
    self.priority = priority
    self.hasCollapseID = hasCollapseID
    self.type = type
    self.bundleID = bundleID
    self.path = path
  }
}
