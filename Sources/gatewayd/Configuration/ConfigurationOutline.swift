package import GatewayCore
package import TokenStore

/// What a configuration file says without opening any file that it names: enough to find the gateway and its keys.
/// All paths are absolute.
package struct ConfigurationOutline: Sendable, Equatable {
  package struct ProviderKey: Sendable, Equatable {
    package let team: String
    package let keyID: String
    package let file: String
    package let environment: GatewayEnvironment
    package let topics: [BundlePattern]
  }

  package struct Enrolment: Sendable, Equatable {
    package let keyFile: String
    package let bundleIDs: [BundlePattern]
    package let environments: [GatewayEnvironment]
  }

  package internal(set) var providers: [GatewayConfiguration.ProviderListener] = []
  /// In the order of ``providers``; nil where a listener asks for no certificates.
  package internal(set) var clientCAFiles: [String?] = []
  package internal(set) var device: GatewayConfiguration.DeviceListener?
  package internal(set) var providerKeys: [ProviderKey] = []
  package internal(set) var enrolments: [Enrolment] = []
  package internal(set) var adminSocket: String?
  package internal(set) var adminListen: ListenAddress?
  package internal(set) var adminTokenFile: String?
  package internal(set) var certificateFile: String?
  package internal(set) var privateKeyFile: String?
  /// What a client of this gateway should trust; nil: what the system trusts.
  package internal(set) var caFile: String?
  package internal(set) var database = ""
}
