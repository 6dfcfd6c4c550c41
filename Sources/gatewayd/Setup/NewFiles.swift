import Glibc

/// Files made together in one folder: all of them, or none. Nothing that was there before is touched.
struct NewFiles {
  struct File {
    let name: String
    let bytes: [UInt8]
    /// Whether only the owner may read it.
    let isSecret: Bool
  }

  let directory: String

  /// Makes the folder, mode 0700, if it is not there, and the files in their order.
  func make(_ files: [File]) throws(SetupError) {
    for file in files {
      var status = stat()
      if lstat(path(file.name), &status) == 0 {
        throw SetupError("\(path(file.name)) is there already, and nothing is overwritten; choose another --directory")
      }
    }
    let isNew = try makeDirectory()
    var made: [String] = []
    do throws(SetupError) {
      for file in files {
        try make(file, noting: &made)
      }
    } catch {
      for path in made { unlink(path) }
      if isNew { rmdir(directory) }
      throw error
    }
  }

  func path(_ name: String) -> String { "\(directory)/\(name)" }

  /// - Returns: whether it was made, and not there before.
  private func makeDirectory() throws(SetupError) -> Bool {
    if mkdir(directory, 0o700) == 0 { return true }
    let code = errno
    var status = stat()
    guard code == EEXIST, stat(directory, &status) == 0 else {
      let reason = code == ENOENT ? "the folder around it does not exist" : String(cString: strerror(code))
      throw SetupError("cannot make the folder \(directory): \(reason)")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw SetupError("\(directory) is there already and is no folder; choose another --directory")
    }
    return false
  }

  private func make(_ file: File, noting made: inout [String]) throws(SetupError) {
    let path = path(file.name)
    let mode: mode_t = file.isSecret ? 0o600 : 0o644
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
    var code = errno
    guard descriptor >= 0 else { throw SetupError("cannot make \(path): \(String(cString: strerror(code)))") }
    made.append(path)
    defer { close(descriptor) }
    var written = 0
    while written < file.bytes.count {
      let count = file.bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      code = errno
      if count > 0 {
        written += count
      } else if code != EINTR {
        throw SetupError("cannot write \(path): \(String(cString: strerror(code)))")
      }
    }
  }
}
