import GatewayCore
import HTTPMessage
import TokenStore

/// What a request costs before the ledger is asked.
enum RequestParts {
  static func measure(with meter: inout Meter) {
    measurePayloads(with: &meter)
    measureHead(with: &meter)
    measureCredential(with: &meter)
  }

  private static func measurePayloads(with meter: inout Meter) {
    let validator = PayloadValidator(strictness: .strict)
    let usual = Array(#"{"aps":{"content-changed":true}}"#.utf8)
    let other = Array(#"{"aps":{"content-changed": true}}"#.utf8)
    let item = #"{"name":"flat white","price":3.5,"sizes":["s","m","l"],"hot":true}"#
    let items = Array(repeating: item, count: (4096 - 64) / (item.utf8.count + 1)).joined(separator: ",")
    let large = Array(#"{"aps":{"content-changed":true},"menu":[\#(items)]}"#.utf8)
    for (name, body, rounds) in [
      ("payload, the usual 32 bytes", usual, 5_000_000), ("payload, 33 bytes of other spelling", other, 2_000_000),
      ("payload, \(large.count) bytes", large, 50_000),
    ] {
      meter.measure(name, rounds: rounds) {
        body.withUnsafeBytes { body in
          do throws(PayloadFault) {
            _ = try validator.validate(body)
          } catch {
            preconditionFailure("A payload that is one: \(error)")
          }
        }
      }
    }
  }

  /// As h2load sends it, and client libraries nearly so.
  private static let head: [(name: [UInt8], value: [UInt8])] = [
    (":method", "POST"), (":scheme", "https"), (":authority", "localhost:2197"),
    (":path", "/3/device/" + String(repeating: "0123456789abcdef", count: 4)),
    ("authorization", "bearer " + String(repeating: "eyJhbGciOiJFUzI1NiJ9", count: 11)),
    ("apns-topic", "com.example.caffeine.push-type.widgets"), ("apns-push-type", "widgets"),
    ("user-agent", "h2load nghttp2/1.52.0"), ("content-length", "32"),
  ].map { (Array($0.utf8), Array($1.utf8)) }

  private static func measureHead(with meter: inout Meter) {
    var known = 0
    meter.measure("header name, matched", rounds: 1_000_000, each: head.count) {
      for (name, _) in head { name.withUnsafeBytes { if FieldName($0) != nil { known += 1 } } }
    }
    let block = HeaderBlock()
    meter.measure("header block of a push, kept", rounds: 500_000) {
      block.removeAll()
      for (name, value) in head {
        name.withUnsafeBytes { name in value.withUnsafeBytes { value in _ = block.append(name: name, value: value) } }
      }
    }
    let validator = PushHeadValidator(checks: GatewayConfiguration.Checks())
    var topics = TopicTable(seed: 7)
    let grant = TopicGrant([BundlePattern("com.example.*")].compactMap(\.self))
    meter.measure("header block of a push, judged", rounds: 500_000) {
      do throws(Refusal) {
        _ = try validator.validate(block, topics: &topics) { () throws(Refusal) in grant }
      } catch {
        preconditionFailure("A head that is right: \(error.detail ?? "")")
      }
    }
  }

  /// The provider token that the connection used last: 215 bytes and `bearer `.
  private static func measureCredential(with meter: inout Meter) {
    let text = head[4].value
    let same = text
    var credential = ConnectionCredential()
    text.withUnsafeBytes {
      credential.accept(ProviderCredential(key: 0, issuedAt: 1_772_000_000, generation: 1), for: $0)
    }
    var matches = 0
    meter.measure("provider token, the one used last", rounds: 5_000_000) {
      same.withUnsafeBytes { if credential.matching($0, generation: 1) != nil { matches += 1 } }
    }
  }
}
