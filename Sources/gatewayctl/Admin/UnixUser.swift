import Glibc

/// Who sits at the keyboard, for the audit.
enum UnixUser {
  static var name: String {
    // Behind sudo everyone is root, and the audit would not say who.
    if getuid() == 0, let user = getenv("SUDO_USER").map({ String(cString: $0) }), !user.isEmpty { return user }
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16_384)
    guard getpwuid_r(getuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name
    else { return "uid \(getuid())" }
    return String(cString: name)
  }
}
