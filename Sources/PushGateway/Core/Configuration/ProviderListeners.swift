extension [GatewayConfiguration.ProviderListener] {
  /// These listeners, each with the `clientCA` that its namesake in a newer configuration has: the one thing about an
  /// open listener that may change. One that has no namesake stays as it is.
  ///
  /// Namesakes listen on the same address in the same environment. Of several, port 0 being any free one, the one in the
  /// same place counts.
  package func takingClientCAs(from newer: [Element]) -> [Element] {
    indices.map { index in
      var listener = self[index]
      func isNamesake(_ other: Element) -> Bool {
        other.listen == listener.listen && other.environment == listener.environment
      }
      let inPlace = newer.indices.contains(index) && isNamesake(newer[index]) ? newer[index] : nil
      if let namesake = inPlace ?? newer.first(where: isNamesake) { listener.clientCA = namesake.clientCA }
      return listener
    }
  }
}
