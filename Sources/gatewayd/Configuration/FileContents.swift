import Glibc

/// The bytes of a small file, and what its permissions let others do.
struct FileContents {
  enum Failure: Error {
    case missing
    case denied
    case notAFile
    case tooLarge(limit: Int)
    case other(code: Int32)
  }

  let bytes: [UInt8]
  /// Whether somebody who is neither the owner nor in the group may read or write it.
  let isOpenToOthers: Bool

  /// - Parameter regularOnly: refuses pipes and devices, which could block or never end.
  static func read(_ path: String, limit: Int, regularOnly: Bool) throws(Failure) -> FileContents {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (regularOnly ? O_NONBLOCK : 0))
    guard descriptor >= 0 else { throw Failure(code: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Failure(code: errno) }
    let type = status.st_mode & S_IFMT
    guard type == S_IFREG || (!regularOnly && type != S_IFDIR) else { throw .notAFile }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0 {
        let code = errno
        if code == EINTR { continue }
        throw Failure(code: code)
      }
      if count == 0 { break }
      bytes += buffer[..<count]
      guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
    }
    return FileContents(bytes: bytes, isOpenToOthers: status.st_mode & 0o006 != 0)
  }
}

extension FileContents.Failure {
  init(code: Int32) {
    self =
      switch code {
      case ENOENT, ENOTDIR: .missing
      case EACCES, EPERM: .denied
      case EISDIR: .notAFile
      default: .other(code: code)
      }
  }

  /// Completes "cannot read <path>: ", with the mend.
  func explanation(path: String) -> String {
    switch self {
    case .missing: "no such file; a relative path starts at the folder of the configuration file"
    case .denied:
      "permission denied; let the group of the gateway's user read it: chgrp gatewayd \(path) && chmod 640 \(path)"
    case .notAFile: "not a regular file"
    case .tooLarge(let limit): "larger than \(limit) bytes, so hardly the right file"
    case .other(let code): String(cString: strerror(code))
    }
  }
}
