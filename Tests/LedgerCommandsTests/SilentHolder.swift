import LedgerAPI
import LedgerModel
import LedgerSystem
import Synchronization
import SystemPackage
import Testing

@testable import LedgerCommands

/// Holds the lock and the socket of a home, keeps what it is sent, and answers as far as it is told.
final class SilentHolder: Sendable {
    let asked = Mutex<[ControlRequest.Body]>([])
    private let lock: any FileLock
    private let listener: LocalListener

    /// - Parameter answers: false: it takes what it is sent and says nothing. True: it says who it is, and hangs
    ///   up when it is asked for anything else.
    /// - Parameter agrees: whether it says that it will leave when it is asked to; it does not.
    init(
        _ home: FilePath, answers: Bool, agrees: Bool = false, serving addresses: [String]? = nil,
        into directory: String? = nil
    ) throws {
        let fileSystem = RealFileSystem()
        lock = try #require(try fileSystem.lock(home.appending("ledger.lock")))
        let socket = home.appending("ledger.sock")
        if try fileSystem.status(of: socket) != nil { try fileSystem.unlink(socket) }
        listener = try LocalListener(at: socket)
        try listener.start { connection in
            do {
                while let message = try connection.receive() {
                    let request = try ControlRequest(decoding: message)
                    self.asked.withLock { $0.append(request.body) }
                    guard answers else { continue }
                    if agrees, request.body == .leave {
                        try connection.send(try ControlResponse.end.encoded())
                        continue
                    }
                    guard case .status = request.body else { return }
                    let status = HolderStatus(
                        processID: 7, programVersion: "0", last: .zero, running: 0, addresses: addresses,
                        directory: directory)
                    try connection.send(try ControlResponse.status(status).encoded())
                }
            } catch { Issue.record("\(error)") }
        }
    }

    func leave() {
        listener.stop()
        lock.unlock()
    }
}
