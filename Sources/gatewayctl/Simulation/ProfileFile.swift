import CommandLineInterface
import GatewayCore
import TokenStore

/// Profiles of a JSON file, for `simulate --profiles`: `{"profiles":[{"name":"office","like":"commuter", …}]}`. A
/// member that is not known is refused, since a typo would silently play something else.
struct ProfileFile: Equatable {
  /// One profile, and what it fixes for its devices; nil: as the command line says.
  struct Entry: Equatable {
    var profile: DeviceProfile
    var share = 1
    var platform: Platform?
    var os: String?
    var widgets: Int?
  }

  let entries: [Entry]

  init(_ bytes: [UInt8], path: String) throws(CommandFailure) {
    let root: JSONValue
    do throws(JSONFault) {
      let read = bytes.withUnsafeBytes { bytes in
        Result { () throws(JSONFault) in try JSONValue(reading: bytes) }
      }
      root = try read.get()
    } catch {
      throw CommandFailure("\(path) is not JSON: \(error)")
    }
    guard case .object(let members) = root, members.map(\.key) == ["profiles"],
      case .array(let values) = members[0].value, !values.isEmpty
    else { throw CommandFailure(#"\#(path): expected {"profiles":[…]} with at least one profile"#) }
    var entries: [Entry] = []
    for (index, value) in values.enumerated() {
      let entry = try Self.entry(value, at: "\(path): profiles[\(index)]")
      guard !entries.contains(where: { $0.profile.name == entry.profile.name }) else {
        throw CommandFailure("\(path): the name \(entry.profile.name.quoted) comes twice")
      }
      entries.append(entry)
    }
    self.entries = entries
  }

  private static func entry(_ value: JSONValue, at place: String) throws(CommandFailure) -> Entry {
    guard case .object(let members) = value else { throw CommandFailure("\(place): expected an object") }
    guard let member = members.first(where: { $0.key == "name" }), case .string(let name) = member.value, !name.isEmpty
    else { throw CommandFailure("\(place): \"name\" is missing") }
    var entry = Entry(profile: .steady)
    if let like = members.first(where: { $0.key == "like" }) {
      let names = DeviceProfile.readyMade.map(\.name)
      guard case .string(let text) = like.value,
        let found = DeviceProfile.readyMade.first(where: { $0.name == text })
      else { throw CommandFailure("\(place): \"like\" takes one of \(names.joined(separator: ", "))") }
      entry.profile = found
    }
    entry.profile.name = name
    for member in members where member.key != "name" && member.key != "like" {
      guard let key = Key(rawValue: member.key) else {
        let known = ["name", "like"] + Key.allCases.map(\.rawValue)
        let hint = Suggestion.nearest(to: member.key, among: known).map { "; did you mean \($0)?" } ?? ""
        throw CommandFailure("\(place): \(member.key.quoted) is not known\(hint)")
      }
      guard key.set(member.value, in: &entry) else {
        throw CommandFailure("\(place): \(member.key.quoted) takes \(key.expected)")
      }
    }
    let profile = entry.profile
    guard profile.connected == nil || profile.away > 0 else {
      throw CommandFailure("\(place): \"connected\" needs \"away\": how long the device is gone")
    }
    guard profile.awake == nil || profile.asleep > 0 else {
      throw CommandFailure("\(place): \"awake\" needs \"asleep\": how long the device sleeps")
    }
    return entry
  }

  private enum Key: String, CaseIterable {
    case share, platform, os, widgets, connected, away, awake, asleep, reinstalls
    case breaksOff = "breaks-off"
    case losesReceipts = "loses-receipts"
    case bytesPerSecond = "bytes-per-second"

    var expected: String {
      switch self {
      case .share: "a whole number from 1 to 1000000"
      case .platform: "one of " + Platform.allCases.map(\.rawValue).joined(separator: ", ")
      case .os: "a version such as \"26.1\""
      case .widgets: "a whole number from 0 to 64"
      case .connected, .away, .awake, .asleep, .reinstalls: "a duration such as \"30s\" or \"10m\", at least \"100ms\""
      case .breaksOff: "true or false"
      case .losesReceipts: "a number from 0 to 1"
      case .bytesPerSecond: "a whole number from 1 to 1000000"
      }
    }

    /// - Returns: false when the value is not ``expected``.
    func set(_ value: JSONValue, in entry: inout Entry) -> Bool {
      switch self {
      case .share: return Self.store(Self.integer(value, in: 1...1_000_000), in: &entry.share)
      case .platform: return Self.store(Self.text(value).flatMap { Platform(rawValue: $0) }, in: &entry.platform)
      case .os: return Self.store(Self.text(value).flatMap { OSVersion($0) == nil ? nil : $0 }, in: &entry.os)
      case .widgets: return Self.store(Self.integer(value, in: 0...64), in: &entry.widgets)
      case .connected: return Self.store(Self.time(value), in: &entry.profile.connected)
      case .away: return Self.store(Self.time(value), in: &entry.profile.away)
      case .awake: return Self.store(Self.time(value), in: &entry.profile.awake)
      case .asleep: return Self.store(Self.time(value), in: &entry.profile.asleep)
      case .reinstalls: return Self.store(Self.time(value), in: &entry.profile.reinstalls)
      case .bytesPerSecond:
        return Self.store(Self.integer(value, in: 1...1_000_000), in: &entry.profile.bytesPerSecond)
      case .breaksOff:
        guard case .bool(let breaks) = value else { return false }
        entry.profile.breaksOff = breaks
      case .losesReceipts:
        guard case .number(let text) = value, let share = Double(text), (0...1).contains(share) else { return false }
        entry.profile.losesReceipts = share
      }
      return true
    }

    private static func store<Value>(_ value: Value?, in place: inout Value) -> Bool {
      if let value { place = value }
      return value != nil
    }

    private static func store<Value>(_ value: Value?, in place: inout Value?) -> Bool {
      if let value { place = value }
      return value != nil
    }

    private static func integer(_ value: JSONValue, in range: ClosedRange<Int>) -> Int? {
      guard case .number(let text) = value, let number = Int(text), range.contains(number) else { return nil }
      return number
    }

    private static func text(_ value: JSONValue) -> String? {
      guard case .string(let text) = value else { return nil }
      return text
    }

    private static func time(_ value: JSONValue) -> Int64? {
      guard let duration = text(value).flatMap({ Duration(text: $0) }) else { return nil }
      let parts = duration.components
      // A device that comes and goes without a pause would be a flood.
      guard duration >= .milliseconds(100), parts.seconds <= 366 * 86_400 else { return nil }
      return parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
    }
  }
}
