import GatewayReports
import Glibc

/// What Prometheus' client libraries tell of every process, under the names that dashboards know.
enum ProcessMetrics {
  static var families: [MetricFamily] {
    var families: [MetricFamily] = []
    if let stat = Stat() {
      families += [
        .single(
          "process_cpu_seconds_total", "Processor time, of user and system together, in seconds.", .counter,
          stat.cpuSeconds),
        .single("process_resident_memory_bytes", "Resident memory.", .gauge, stat.residentBytes),
        .single("process_virtual_memory_bytes", "Virtual memory.", .gauge, stat.virtualBytes),
        .single("process_threads", "Threads.", .gauge, stat.threads),
      ]
      if let start = stat.startSeconds {
        families.append(
          .single(
            "process_start_time_seconds", "When the process started, in seconds since 1970.", .gauge, start))
      }
    }
    if let count = openFiles() {
      families.append(.single("process_open_fds", "Open file descriptors.", .gauge, Double(count)))
    }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      families.append(
        .single("process_max_fds", "Open file descriptors at most.", .gauge, Double(limit.rlim_cur)))
    }
    return families
  }

  private static func openFiles() -> Int? {
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) {
      if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
    }
    // The folder's own.
    return count - 1
  }

  /// `/proc/self/stat`, see proc(5).
  struct Stat: Equatable {
    var cpuSeconds: Double
    var threads: Double
    /// nil where the machine does not tell when it was booted.
    var startSeconds: Double?
    var virtualBytes: Double
    var residentBytes: Double

    init?() {
      guard let text = contents(of: "/proc/self/stat") else { return nil }
      let boot = contents(of: "/proc/stat").flatMap { text in
        text.split(separator: "\n").first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst(6)) }
      }
      self.init(text, bootSeconds: boot, ticks: Double(sysconf(Int32(_SC_CLK_TCK))), pageBytes: Double(getpagesize()))
    }

    init?(_ text: String, bootSeconds: Double?, ticks: Double, pageBytes: Double) {
      // The second field is the program's name in brackets, which may hold anything.
      guard let end = text.lastIndex(of: ")") else { return nil }
      let fields = text[text.index(after: end)...].split { $0 == " " || $0 == "\n" }.map { Double($0) ?? 0 }
      // Field 3 of proc(5) is the first one here.
      guard fields.count >= 22 else { return nil }
      func field(_ number: Int) -> Double { fields[number - 3] }
      cpuSeconds = (field(14) + field(15)) / ticks
      threads = field(20)
      startSeconds = bootSeconds.map { $0 + field(22) / ticks }
      virtualBytes = field(23)
      residentBytes = field(24) * pageBytes
    }
  }

  private static func contents(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
