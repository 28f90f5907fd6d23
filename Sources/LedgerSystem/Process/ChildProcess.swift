import CLedgerSystem
import Synchronization
package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A program this one started. It goes on when the value is dropped; a thread waits for its end either way, so that no
/// zombie stays.
package final class ChildProcess: Sendable {
    /// Where a child's output goes.
    package enum Stream: Hashable, Sendable {
        /// Where ours goes.
        case inherited
        /// `/dev/null`.
        case discarded
    }

    private struct State: Sendable {
        var status: Int32?
        var waiting: [CheckedContinuation<Int32, Never>] = []
    }

    /// The number of the child.
    package let id: Int32
    private let state = Mutex(State())

    /// Starts a program with default signal handlers and no signal blocked. `posix_spawn(3)`.
    ///
    /// - Parameters:
    ///   - arguments: without the program's own name, which is put before them.
    ///   - environment: nil for ours.
    /// - Throws: `ENOENT`, `EACCES` and the like when it can not be started, `EAGAIN` when there is no thread left.
    package init(
        _ program: FilePath, _ arguments: [String], environment: [String: String]? = nil, output: Stream = .inherited,
        errors: Stream = .inherited
    ) throws(FileError) {
        var child: pid_t = 0
        let variables = environment.map { $0.map { "\($0.key)=\($0.value)" }.sorted() }
        let code = unsafe withStrings([program.string] + arguments) { arguments in
            unsafe withStrings(variables ?? []) { list in
                let inherited = unsafe ledger_environment()
                return unsafe program.withPlatformString { name in
                    unsafe ledger_spawn(
                        &child, name, arguments, variables == nil ? UnsafePointer(inherited) : list,
                        output == .discarded, errors == .discarded)
                }
            }
        }
        guard code == 0 else { throw FileError("posix_spawn", program, Errno(rawValue: code)) }
        id = child
        do throws(FileError) {
            try SystemThread.start("ledger-child") { [self] in reap() }
        } catch {
            // Nobody could wait for it, so it does not go on.
            send(.kill)
            reap()
            throw error
        }
    }

    /// Sends it a signal; a child that has ended gets none, and no other process that took its number. `kill(2)`.
    package func send(_ signal: Signal) {
        state.withLock { state in
            if state.status == nil { _ = kill(id, signal.number) }
        }
    }

    /// The exit status, or 128 plus the number of the signal that ended it; nil while it runs.
    package var status: Int32? { state.withLock { $0.status } }

    /// Waits for its end: the exit status, or 128 plus the number of the signal that ended it.
    package func wait() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status = state.withLock { state in
                if state.status == nil { state.waiting.append(continuation) }
                return state.status
            }
            if let status { continuation.resume(returning: status) }
        }
    }

    /// Waits without taking the status, then takes it under the lock: the number is the child's until then, so a signal
    /// never goes astray.
    private func reap() {
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
        let (status, waiting) = state.withLock { state in
            var answer: CInt = 0
            while unsafe waitpid(id, &answer, 0) < 0 && errno == EINTR {}
            let status = ledger_exit_status(answer)
            state.status = status
            defer { state.waiting = [] }
            return (status, state.waiting)
        }
        for continuation in waiting { continuation.resume(returning: status) }
    }
}

/// Calls `body` with strings as C wants lists of them: pointers, ended by a null.
private func withStrings<Answer>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Answer
) -> Answer {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body(UnsafePointer($0.baseAddress!)) }
}
