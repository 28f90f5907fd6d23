package import LedgerModel
package import LedgerSystem
package import SystemPackage

/// The log of one ledger, open for writing by its one holder.
///
/// Records are staged in memory, then made durable together: one write and one `fdatasync(2)` for each commit. All
/// calls that touch the disk block; make them from the ledger's own thread.
package struct WriteAheadLog: ~Copyable, Sendable {
    /// Which ledger this is.
    package var identity: LedgerID { manifest.identity }
    /// What opening found and put right.
    package internal(set) var recovery = RecoveryReport()
    /// The root of the tree over all records up to ``lastSequence``, durable.
    package internal(set) var root: TreeHash
    /// The sequence of the last durable record; zero in an empty ledger.
    package var lastSequence: SequenceNumber { SequenceNumber(tree.size) }
    /// The sequence of the last record that compaction took out of the log; zero when all are there.
    package var baseSequence: SequenceNumber { SequenceNumber(manifest.base.size) }
    /// The sequence of the snapshot that stands for what compaction took out; zero when nothing was.
    package var baseSnapshot: SequenceNumber { manifest.snapshot }
    /// The bytes of the segments in the log, without the zeros ahead of them.
    package var byteCount: UInt64 { sealedBytes + (segment?.offset ?? 0) }
    /// How many records wait for ``commit(at:)``.
    package var stagedCount: Int { staging.count }
    /// The bytes that the staged records take in the log.
    package var stagedBytes: Int { staging.byteCount }
    /// The failure that closed the log; nil while it can be used.
    package internal(set) var failure: LogError?

    let fileSystem: any FileSystem
    let home: LogHome
    let configuration: LogConfiguration
    let random: @Sendable () -> UInt64
    let lock: HomeLock
    var manifest: Manifest
    var segment: SegmentWriter?
    var sealedBytes: UInt64 = 0
    var tree: MerkleTree
    let hasher: LeafHasher
    var staging = Staging()
    var head: Head
    var headTime: Timestamp?

    /// Opens the ledger at `home`, the only writer until it is closed: takes the lock, makes what is missing on first
    /// use, and recovers what a crash left.
    ///
    /// `random` gives the identity of a new ledger and the salts of segments. Reads the last segment whole, about
    /// 10 ms for each 10 MiB.
    /// - Parameter whenHeld: is called once the ledger is this process's and there is a manifest, before the segment is
    ///   read: what takes long and reads beside that may begin.
    /// - Throws: ``LogError``: `.locked`, `.absent`, `.corrupted`, `.tampered`, `.shorter`, `.missing`, `.newerFormat`,
    ///   `.full`, `.io`. Damage is never put right here: nothing acknowledged is dropped without being asked.
    package static func open(
        at home: FilePath, fileSystem: any FileSystem, configuration: LogConfiguration = LogConfiguration(),
        random: @escaping @Sendable () -> UInt64, whenHeld: () -> Void = {}
    ) throws(LogError) -> WriteAheadLog {
        var opening = Opening(
            fileSystem: fileSystem, home: LogHome(home), configuration: configuration, random: random)
        return try opening.run(whenHeld: whenHeld)
    }

    /// Gives a record its sequence and keeps it in memory until ``commit(at:)``. Costs no disk access.
    package mutating func stage(_ record: LogRecord) -> SequenceNumber {
        let sequence = lastSequence.advanced(by: staging.count + 1)
        staging.append(record, as: sequence)
        return sequence
    }

    /// Writes the head, drops what is staged, gives the lock back. Later calls throw. Closing twice is harmless.
    package mutating func close() throws(LogError) {
        defer {
            segment?.file.close()
            lock.unlock()
        }
        guard failure == nil else { return }
        try check()
        failure = LogError(.poisoned, "the log was closed", next: "open the ledger again")
        staging.removeAll()
        if head.size != tree.size {
            try disk("note how far the log goes") { () throws(FileError) in try writeHead() }
        }
    }

    /// Before anything is read.
    func requireOpen() throws(LogError) {
        if let failure { throw failure.poisoning }
    }

    /// Before anything is written: by their names, files of the home may be another ledger's by now.
    package mutating func check() throws(LogError) {
        try requireOpen()
        do throws(LogError) { try lock.identity.check(fileSystem) } catch {
            failure = error
            throw error
        }
    }

    /// Runs a step whose failure leaves the disk in doubt: the log is closed for good then.
    mutating func fatal<T>(
        _ doing: String, _ body: (inout WriteAheadLog) throws(FileError) -> T
    ) throws(LogError) -> T {
        do throws(FileError) {
            return try body(&self)
        } catch {
            let failure = LogError(error, doing: doing)
            self.failure = failure
            throw failure
        }
    }

    /// Runs a step that only needs room, twice when the disk is full and there is ballast to give up. Still no room
    /// leaves the log usable; any other failure closes it.
    mutating func roomy<T>(
        _ doing: String, _ body: (inout WriteAheadLog) throws(FileError) -> T
    ) throws(LogError) -> T {
        do throws(FileError) {
            do throws(FileError) {
                return try body(&self)
            } catch {
                guard error.isDiskFull, try Ballast.release(fileSystem, home) else { throw error }
                return try body(&self)
            }
        } catch {
            let failure = LogError(error, doing: doing)
            if !error.isDiskFull { self.failure = failure }
            throw failure
        }
    }

    /// Writes the head for what is durable now.
    mutating func writeHead() throws(FileError) {
        let next = Head(generation: head.generation + 1, size: tree.size, root: root)
        try next.store(fileSystem, home, identity)
        head = next
    }
}
