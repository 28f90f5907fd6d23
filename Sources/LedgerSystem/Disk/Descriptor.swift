import Synchronization
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file descriptor that may be closed by one thread while another uses it: the number is given back to the system
/// only after the last call on it has returned, so that a call never reaches a file opened later under the same number.
final class Descriptor: Sendable {
    private struct State {
        var isClosed = false
        var callsUnderWay = 0
    }

    private let number: CInt
    private let state = Mutex(State())

    init(_ number: CInt) { self.number = number }

    deinit { close() }

    /// Calls `body` with the number; `EBADF` once closed.
    func use<Answer>(
        _ call: String, _ path: FilePath, _ body: (CInt) throws(FileError) -> Answer
    ) throws(FileError) -> Answer {
        let isOpen = state.withLock { state in
            if state.isClosed { return false }
            state.callsUnderWay += 1
            return true
        }
        guard isOpen else { throw FileError(call, path, .badFileDescriptor) }
        defer { leave() }
        return try body(number)
    }

    /// Closes it, at once or when the calls under way have returned. Once is enough; again is harmless.
    func close() {
        let closesNow = state.withLock { state in
            if state.isClosed { return false }
            state.isClosed = true
            return state.callsUnderWay == 0
        }
        if closesNow { giveBack() }
    }

    /// Ends what goes over a socket, and with it calls that wait, then closes it. `shutdown(2)`; again is harmless.
    func shutDown() {
        do throws(FileError) {
            try use("shutdown", "") { number throws(FileError) in _ = shutdown(number, CInt(SHUT_RDWR)) }
        } catch {
            // Closed before: nothing is left to end.
            return
        }
        close()
    }

    private func leave() {
        let closesNow = state.withLock { state in
            state.callsUnderWay -= 1
            return state.isClosed && state.callsUnderWay == 0
        }
        if closesNow { giveBack() }
    }

    /// Never repeated: on Linux the number is free even when `close(2)` answers `EINTR`. What it might say of lost
    /// writes was said by `fdatasync(2)` before, wherever it matters.
    private func giveBack() {
        #if canImport(Glibc)
            _ = Glibc.close(number)
        #elseif canImport(Musl)
            _ = Musl.close(number)
        #else
            _ = Darwin.close(number)
        #endif
    }
}
