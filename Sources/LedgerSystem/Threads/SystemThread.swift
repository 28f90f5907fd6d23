import CLedgerSystem
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Threads of the operating system, for work that blocks.
enum SystemThread {
    /// Starts a detached thread that runs `body` and ends. `pthread_create(3)`; `EAGAIN` when there are too many.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(FileError) {
        let task = unsafe Unmanaged.passRetained(ThreadTask(name: name, body: body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = unsafe pthread_create(&thread, nil, runThreadTask, task.toOpaque())
        guard code == 0 else {
            unsafe task.release()
            throw FileError(FileError.newThread, FilePath(name), Errno(rawValue: code))
        }
        #if canImport(Darwin)
            if let thread { unsafe pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }

    /// Ends the process for want of a thread without which nothing that is waited for would ever come. What is
    /// acknowledged is durable whenever that happens.
    static func end(forWantOf name: String, _ error: FileError) -> Never {
        let words =
            "no thread '\(name)' can be started (\(error.errno)): this process, its user or its container has too many "
            + "already; raise the limit (\(FileError.threadLimits)). What is recorded is safe"
        // Of a precondition an optimised build says nothing; where nobody hears this either, the end is all there is.
        do throws(FileError) { try Output.error.write(words + "\n") } catch { preconditionFailure(words) }
        preconditionFailure(words)
    }

    /// A number no other living thread has.
    static var current: UInt {
        #if canImport(Darwin)
            unsafe UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }
}

private final class ThreadTask: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

#if canImport(Darwin)
    private func runThreadTask(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? { unsafe run(argument) }
#else
    private func runThreadTask(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        unsafe run(argument!)
    }
#endif

private func run(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    let task = unsafe Unmanaged<ThreadTask>.fromOpaque(argument).takeRetainedValue()
    unsafe ledger_name_thread(task.name)
    task.body()
    return nil
}
