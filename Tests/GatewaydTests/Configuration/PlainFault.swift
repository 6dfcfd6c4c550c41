import Testing

/// One mistake in an otherwise good file, and the one line that it should bring.
struct PlainFault: Sendable, CustomTestStringConvertible {
  /// Stands before the good part, which has 11 lines.
  var before = ""
  var after = ""
  let line: Int
  let text: String

  var testDescription: String { text }

  private static func after(_ after: String, _ line: Int, _ text: String) -> PlainFault {
    PlainFault(after: after, line: line, text: text)
  }

  static let all: [PlainFault] = [
    PlainFault(before: "loops = 65\n", line: 1, text: "loops: expected a whole number from 1 to 64, got 65"),
    PlainFault(before: "lops = 1\n", line: 1, text: "lops: no such key; did you mean loops?"),
    PlainFault(before: "heartbeat = \"5s\"\n", line: 1, text: "heartbeat: no such key; did you mean device.heartbeat?"),
    .after("soket = \"x\"", 12, "admin.soket: no such key; did you mean admin.socket?"),
    .after("token = \"hunter2\"", 12, "admin.token: no such key; did you mean admin.token-file?"),
    .after(
      "[budget]\nrefresh-per-day = 5", 13, "budget.refresh-per-day: no such key; did you mean budget.refreshes-per-day?"
    ),
    .after("[budget]\ncolour = 5", 13, "budget.colour: no such key; docs/configuration.md has them all"),
    .after("[budgte]\nburst = 1", 12, "budgte: no such section; did you mean budget?"),
    .after(
      "[budget]\nrefreshes-per-day = \"fifty\"", 13,
      #"budget.refreshes-per-day: expected a whole number from 1 to 1000000, got "fifty""#),
    .after(
      "[budget]\nrefreshes-per-day = 0", 13,
      "budget.refreshes-per-day: expected a whole number from 1 to 1000000, got 0"),
    .after(
      "[budget]\nrefreshes-per-day = -50", 13,
      "budget.refreshes-per-day: expected a whole number from 1 to 1000000, got -50"),
    .after(
      "[budget]\nrefreshes-per-day = 9223372036854775807", 13,
      "budget.refreshes-per-day: expected a whole number from 1 to 1000000, got 9223372036854775807"),
    .after(
      "[budget]\nburst = -1", 13,
      "budget.burst: expected a whole number from 1 to 1000000, got -1"),
    .after(
      "[budget]\nrefreshes-per-day = 5e1", 13,
      "budget.refreshes-per-day: expected a whole number from 1 to 1000000, got 50.0"),
    .after(
      "[budget]\nrefreshes-per-day = 1979-05-27", 13,
      "budget.refreshes-per-day: expected a whole number from 1 to 1000000, got a date"),
    .after("[budget]\nmode = \"on\"", 13, #"budget.mode: expected "enforce", "shadow" or "off", got "on""#),
    .after(
      "[budget]\nrefreshes-per-day = 10\nburst = 10", 14,
      "budget.burst: expected a whole number from 1 to 9, below the 10 refreshes-per-day that hold for it, got 10"),
    .after(
      "[budget]\nrefreshes-per-day = 1\nburst = 2", 14,
      "budget.burst: expected 1, below the 1 refreshes-per-day that hold for it, got 2"),
    .after(
      "[delivery]\nretention = 30", 13,
      #"delivery.retention: expected a duration from "1m" to "366d" (units ms, s, m, h, d), got 30"#),
    .after(
      "[delivery]\nretention = \"1h30m\"", 13,
      #"delivery.retention: expected a duration from "1m" to "366d" (units ms, s, m, h, d), got "1h30m""#),
    .after(
      "[developer-mode]\nallowed = \"yes\"", 13, #"developer-mode.allowed: expected true or false, got "yes""#),
    .after(
      "[[device]]\nheartbeat = \"5s\"", 12, "device: expected one [device], with one bracket"),
    .after(
      "[enrolment]\nper-minute = 5", 12, "enrolment: expected [[enrolment]] with two brackets, for there may be several"
    ),
    .after(
      "[[budget.override]]\nrefreshes-per-day = 70", 12,
      "budget.override: expected at least one of bundle-id, kind, family and platform; what is for all widgets "
        + "belongs to [budget]"),
    .after(
      "[[budget.override]]\nkind = \"a\"", 12,
      "budget.override: changes nothing; expected at least one of mode, refreshes-per-day, burst and minimum-interval"),
    .after(
      "[[budget.override]]\nkind = \"a\"\nburst = 50", 14,
      "budget.override.burst: expected a whole number from 1 to 49, below the 50 refreshes-per-day that hold for it, "
        + "got 50"),
    .after(
      "[budget]\nrefreshes-per-day = 90\nburst = 20\n[[budget.override]]\nkind = \"a\"\nmode = \"off\"\n"
        + "[[budget.override]]\nkind = \"a\"\nrefreshes-per-day = 70", 18,
      "budget.override: names the same widgets as the override of line 15; which of them counts would be chance"),
    .after(
      "[[budget.override]]\nfamily = \"huge\"\nburst = 3", 13,
      "budget.override.family: expected \"systemSmall\", \"systemMedium\", \"systemLarge\", \"systemExtraLarge\", "
        + "\"systemExtraLargePortrait\", \"accessoryCircular\", \"accessoryRectangular\", \"accessoryInline\" or "
        + "\"accessoryCorner\", got \"huge\""),
    .after(
      "[[provider]]\nlisten = \"127.0.0.1:2197\"\nenvironment = \"development\"\ncleartext = true", 13,
      "provider.listen: expected an address of its own; line 2 listens on 127.0.0.1:2197 too"),
    .after(
      "[[provider]]\nlisten = \"[::]:2198\"\nenvironment = \"development\"\ncleartext = true", 15,
      "provider.cleartext: expected false, for [::]:2198 can be reached from outside; listen on 127.0.0.1, [::1] or "
        + "unix:"),
    .after(
      "[[provider]]\nenvironment = \"development\"\ncleartext = true\nlisten = \":2198\"", 15,
      "provider.listen: expected a numeric address and port such as \"[::]:2197\" or \"127.0.0.1:2197\", or "
        + "\"unix:/path\", got \":2198\""),
    .after(
      "[[provider]]\nlisten = \"127.0.0.1:2198\"\nenvironment = \"development\"\ncleartext = true\n"
        + "client-ca = \"server.pem\"", 16,
      "provider.client-ca: expected none, for without TLS nobody can show a certificate; remove it or cleartext = true"),
    .after(
      "[[provider]]\nlisten = \"127.0.0.1:2198\"\nenvironment = \"development\"\nclient-ca = \"admin.token\"\n"
        + "[tls]\ncertificate = \"server.pem\"\nkey = \"server.key\"", 15,
      "provider.client-ca: admin.token: expected a PEM certificate (-----BEGIN CERTIFICATE-----)"),
    .after(
      "[device]", 12,
      "tls.certificate: is missing: [device] needs [tls] with certificate and key; gatewayd init makes some for a "
        + "laptop"),
    .after("[tls]\nkey = \"server.key\"", 12, "tls.certificate: is missing: the private key needs its certificate"),
    .after("[tls]\ncertificate = \"server.pem\"", 12, "tls.key: is missing: the certificate needs its private key"),
    .after(
      "listen = \"0.0.0.0:9197\"", 12,
      "admin.listen: expected a loopback address, for 0.0.0.0:9197 can be reached from outside and there is no "
        + "admin.token-file"),
    .after(
      "listen = \"unix:/run/x\"", 12,
      "admin.listen: expected a numeric address and port; the Unix socket's key is admin.socket"),
    .after(
      "[[provider-key]]\nteam = \"A1B2C3D4E5\"\nkey-id = \"F6G7H8J9K0\"\nfile = \"provider.p8\"\n"
        + "environment = \"development\"\ntopics = [\"com.example.tea\"]", 14,
      "provider-key.key-id: expected each key-id once for an environment; line 7 has F6G7H8J9K0 for development too"),
    .after(
      "[[provider-key]]\nteam = \"short\"\nkey-id = \"F6G7H8J9K1\"\nfile = \"provider.p8\"\n"
        + "environment = \"development\"\ntopics = [\"com.example.tea\"]", 13,
      #"provider-key.team: expected 10 letters and digits, got "short""#),
    .after(
      "[[provider-key]]\nteam = \"A1B2C3D4E5\"\nkey-id = \"F6G7H8J9K1\"\nfile = \"provider.p8\"\n"
        + "environment = \"development\"", 12,
      #"provider-key.topics: is missing from this [[provider-key]]: topics = ["com.example.caffeine"]"#),
    .after(
      "[[provider-key]]\nteam = \"A1B2C3D4E5\"\nkey-id = \"F6G7H8J9K1\"\nfile = \"provider.p8\"\n"
        + "environment = \"development\"\ntopics = []", 17,
      "provider-key.topics: expected a list of bundle IDs such as [\"com.example.caffeine\", \"com.example.*\"], at "
        + "least one, got an empty list"),
    .after(
      "[[enrolment]]\nkey-file = \"enrolment.key\"\nbundle-ids = [\"com..x\", 7]\nenvironments = [\"development\"]", 14,
      "enrolment.bundle-ids: expected a list of bundle IDs such as [\"com.example.caffeine\", \"com.example.*\"], at "
        + "least one, got a list (\"com..x\", 7)"),
    .after(
      "[[enrolment]]\nkey-file = \"enrolment.key\"\nbundle-ids = [\"*\"]\nenvironments = [\"development\"]\n"
        + "[[enrolment]]\nkey-file = \"enrolment.key\"\nbundle-ids = [\"*\"]\nenvironments = [\"production\"]", 17,
      "enrolment.key-file: expected a key of its own; the file of line 13 holds the same one, so its limits would be "
        + "chance"),
    .after(
      "token-file = \"\"\"-----BEGIN PRIVATE KEY-----\nMIGH\"\"\"", 12,
      "admin.token-file: expected a path, got PEM text (not shown)"),
    .after(
      "socket = \"/\(String(repeating: "s", count: 107))\"", 12,
      "admin.socket: expected a path of at most 107 bytes, which is all that a Unix socket's address holds; "
        + "/\(String(repeating: "s", count: 107)) has 108"),
  ]
}
