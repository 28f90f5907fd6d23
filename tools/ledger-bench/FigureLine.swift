import LedgerSystem
import SystemPackage

/// What was measured, as the one line of JSON that a subcommand prints.
enum FigureLine {
    /// Writes figures in the order they are given.
    static func write(_ figures: [(name: String, value: Double)]) throws(FileError) {
        let members = figures.map { "\"\($0.name)\": \($0.value)" }
        try Output.standard.write("{" + members.joined(separator: ", ") + "}\n")
    }
}

/// What this process has used, as the system counts it.
enum ProcessCost {
    /// The unit of times in `/proc`: a hundredth of a second on every Linux.
    private static let ticksPerSecond = 100.0

    /// The seconds that all its threads have run. `/proc/self/stat`.
    static func cpuSeconds() throws(FileError) -> Double {
        let path: FilePath = "/proc/self/stat"
        let file = try RealFileSystem().open(path, .read)
        defer { file.close() }
        let text = String(decoding: try file.bytes(at: 0, count: 4096), as: UTF8.self)
        // The name of the program may hold anything: what counts comes after its parenthesis.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            throw FileError("read", path, .ioError)
        }
        return (user + system) / ticksPerSecond
    }
}

extension Duration {
    /// In seconds.
    var seconds: Double { self / .seconds(1) }
}

extension [Duration] {
    /// The one in the middle; zero for none.
    var median: Duration { quantile(0.5) }

    /// The one that a part of them is not longer than; zero for none.
    func quantile(_ part: Double) -> Duration {
        isEmpty ? .zero : sorted()[Swift.min(count - 1, Int(part * Double(count)))]
    }
}
