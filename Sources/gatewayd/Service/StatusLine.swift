import GatewayReports

/// What `systemctl status` shows of the gateway: one line, the unusual first.
enum StatusLine {
  static func text(of status: GatewayStatus, rate: PushRate) -> String {
    var parts: [String] = []
    if !status.readiness.ready { parts.append("not ready: \(status.readiness.why ?? "no reason given")") }
    if let reload = status.lastReload, !reload.succeeded {
      parts.append("the last reload failed, an older configuration is served")
    }
    if status.developerModeGrants > 0 {
      parts.append("developer mode active (\(count(status.developerModeGrants, "grant")))")
    }
    let (provider, device) = (status.connections.provider, status.connections.device)
    parts.append("\(provider) provider and \(count(device, "device connection"))")
    parts.append("\(count(status.connectedDevices, "device")) on a stream")
    if !rate.text.isEmpty { parts.append("\(rate.text) pushes/s") }
    parts.append("\(count(status.waitingWidgets, "widget")) waiting")
    return parts.joined(separator: ", ")
  }

  private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)" + (number == 1 ? "" : "s") }
}
