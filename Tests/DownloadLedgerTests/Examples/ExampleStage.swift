import DownloadLedger
import FoundationEssentials
import Synchronization

/// What an app has that the examples do not show: a screen, a player, a notification, a log of its own.
final class Stage: Sendable {
    private let said = Mutex<[String]>([])

    /// Everything that was shown, played, told or written down.
    var lines: [String] { said.withLock { $0 } }

    func show(_ line: String) { said.withLock { $0.append(line) } }

    func show(_ fraction: Double?) { show(fraction.map { "\(Int($0 * 100)) %" } ?? "?") }

    func play(_ file: URL) { show("plays " + file.lastPathComponent) }
}

/// A bar that ends.
final class Bar: Sendable {
    private let ends = AsyncStream.makeStream(of: Result<URL, DownloadError>.self)
    let stage = Stage()

    func show(_ fraction: Double?) { stage.show(fraction) }

    func end(_ result: Result<URL, DownloadError>) { ends.continuation.yield(result) }

    /// Waits for the end.
    var result: Result<URL, DownloadError>? {
        get async { await ends.stream.first { _ in true } }
    }
}

/// What an app knows of its network.
final class Monitor: Sendable {
    private let state = Mutex((isOnline: true, isExpensive: false))

    var isOnline: Bool {
        get { state.withLock { $0.isOnline } }
        set { state.withLock { $0.isOnline = newValue } }
    }

    var isExpensive: Bool {
        get { state.withLock { $0.isExpensive } }
        set { state.withLock { $0.isExpensive = newValue } }
    }
}
