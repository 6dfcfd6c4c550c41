/// One request under way.
package final class ClientExchange {
  private let receiving: ((ClientResponsePart) -> Void)?
  let completion: (Result<ClientResponse, ClientError>) -> Void
  private var response: ClientResponse?

  var isReceivedInParts: Bool { receiving != nil }

  init(
    receiving: ((ClientResponsePart) -> Void)?, completion: @escaping (Result<ClientResponse, ClientError>) -> Void
  ) {
    self.receiving = receiving
    self.completion = completion
  }

  func headed(_ response: ClientResponse) {
    self.response = response
    receiving?(.head(response))
  }

  /// - Returns: false when a collected body has outgrown its limit.
  func received(_ bytes: [UInt8], limit: Int) -> Bool {
    if let receiving {
      receiving(.data(bytes))
      return true
    }
    response?.body += bytes
    return response.map { $0.body.count <= limit } ?? true
  }

  func succeed() {
    completion(response.map { .success($0) } ?? .failure(.reset(.protocolError)))
  }
}
