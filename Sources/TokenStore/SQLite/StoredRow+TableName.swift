import TokenStore

extension StoredRow.Table {
  /// The table's name in SQL, part of the schema that `Migrations` writes.
  var name: String {
    switch self {
    case .device: "device"
    case .registration: "registration"
    case .retiredToken: "retired_token"
    case .developerMode: "developer_mode"
    case .audit: "audit"
    case .setting: "setting"
    case .fanOut: "fan_out"
    }
  }
}
