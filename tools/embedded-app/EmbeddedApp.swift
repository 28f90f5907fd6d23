import DownloadLedger
import Foundation

/// An app that embeds the library and uses nothing else of this package: what the smoke test starts and kills.
///
///     embedded-app ten HOME URL        ten tasks ask for one file; a line of JSON for each
///     embedded-app work HOME DIR FILE  enqueues the URLs of a list, one durable line for each, and waits for all
@main
struct EmbeddedApp {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        do {
            switch words.first {
            case "ten" where words.count == 3: try await ten(URL(filePath: words[1]), words[2])
            case "work" where words.count == 4:
                try await work(URL(filePath: words[1]), URL(filePath: words[2], directoryHint: .isDirectory), words[3])
            default: fail("usage: embedded-app ten HOME URL | work HOME DIR FILE", code: 64)
            }
        } catch { fail("\(error)", code: 1) }
    }

    /// Ten tasks that know nothing of each other want one file.
    private static func ten(_ home: URL, _ text: String) async throws {
        guard let url = URL(string: text) else { return fail("'\(text)' is no URL", code: 64) }
        let ledger = try await DownloadLedger.open(at: home)
        try await withThrowingTaskGroup(of: String.self) { group in
            for number in 1...10 {
                group.addTask {
                    let handle = try await ledger.enqueue(url)
                    var (updates, last): (Int, DownloadProgress?) = (0, nil)
                    for await progress in handle.progress { (updates, last) = (updates + 1, progress) }
                    let file = try await handle.value
                    return """
                        {"task": \(number), "joined": \(handle.isJoined), "updates": \(updates), \
                        "finished": \(last?.phase == .finished), "received": \(last?.received ?? 0), \
                        "file": "\(file.path(percentEncoded: false))"}
                        """
                }
            }
            for try await line in group { say(line) }
        }
        await ledger.close()
    }

    /// Wants all files of a list; may be killed at any moment and started again.
    private static func work(_ home: URL, _ directory: URL, _ list: String) async throws {
        var configuration = LedgerConfiguration()
        configuration.directory = directory
        let urls = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n")
            .compactMap { URL(string: String($0)) }
        let ledger = try await DownloadLedger.open(at: home, configuration: configuration)
        var handles: [DownloadHandle] = []
        // A few at a time, as an app would; what is said here is durable.
        for start in stride(from: 0, to: urls.count, by: 10) {
            let part = urls[start..<min(start + 10, urls.count)].map { DownloadRequest($0) }
            for (request, answer) in zip(part, try await ledger.enqueue(part)) {
                let handle = try answer.get()
                say("\(handle.id) \(request.url.absoluteString)")
                handles.append(handle)
            }
        }
        for handle in handles { _ = try await handle.value }
        await ledger.close()
        say("done")
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    private static func fail(_ words: String, code: Int32) {
        FileHandle.standardError.write(Data((words + "\n").utf8))
        exit(code)
    }
}
