import GatewayIO

/// A connection that one or more simulated devices use. The devices hold it; the last that leaves closes it.
final class DeviceLine {
  private let connection: ClientConnection
  private var devices: [Int: SimulatedDevice] = [:]
  private(set) var isOpen = true

  init(_ connection: ClientConnection) {
    self.connection = connection
    connection.closed = { [weak self] error in self?.broke(error) }
    connection.start()
  }

  func join(_ device: SimulatedDevice) { devices[device.number] = device }

  func send(
    _ request: ClientRequest, receiving: ((ClientResponsePart) -> Void)? = nil,
    completion: @escaping (Result<ClientResponse, ClientError>) -> Void
  ) -> ClientExchange {
    connection.send(request, receiving: receiving, completion: completion)
  }

  /// - Parameters:
  ///   - stream: the device's update stream.
  ///   - abruptly: nothing is said to the gateway, where nobody else uses the connection.
  func leave(_ device: SimulatedDevice, stream: ClientExchange?, abruptly: Bool) {
    devices[device.number] = nil
    guard isOpen else { return }
    guard devices.isEmpty else {
      if let stream { connection.cancel(stream) }
      return
    }
    isOpen = false
    connection.closed = nil
    if abruptly { connection.abandon() } else { connection.close() }
  }

  private func broke(_ error: ClientError?) {
    isOpen = false
    let reason = error.map(PushSender.sentence) ?? "the connection is closed"
    let losers = devices.values.sorted { $0.number < $1.number }
    devices = [:]
    for device in losers { device.lostLine(reason) }
  }
}
