import GatewayCore

/// What stood behind a key, read as its kind demands.
enum ConfigurationValue: Equatable {
  case number(Int)
  case flag(Bool)
  case milliseconds(Int64)
  case text(String)
  case texts([String])
  case address(ListenAddress)
  /// An empty text where that means "none".
  case nothing
}
