import FoundationEssentials

/// What this process holds of the machine, as the kernel tells it (proc(5)).
enum ProcessUse {
    /// The memory in use, in bytes.
    static func residentBytes() throws -> Int {
        let line = try text("/proc/self/status").split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(separator: " ").dropLast().last.flatMap { Int($0) } ?? 0) * 1024
    }

    /// The sockets of this machine that are connected to a local port and that a process holds.
    static func connections(toPort port: Int) throws -> Int {
        try text("/proc/net/tcp").split(separator: "\n").dropFirst().count { line in
            let columns = line.split(separator: " ")
            return columns.count > 9 && columns[9] != "0"
                && columns[2].split(separator: ":").last.flatMap { Int($0, radix: 16) } == port
        }
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }
}
