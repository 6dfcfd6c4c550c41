/// What a connection is for. The connection moves bytes and frames; its role gives them meaning.
enum ConnectionRole {
  case provider(ProviderConnection)
  case device(DeviceConnection)

  var listener: any ConnectionListener {
    switch self {
    case .provider(let provider): provider
    case .device(let device): device
    }
  }
}
