import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem

/// Makes a ledger of a log that `export` wrote: the same sequences, times, actors and commands, and the same state.
/// Blocks.
struct LogImporter {
    /// What was imported.
    struct Report: Hashable, Sendable {
        /// The last line of the file, which all of it was held against.
        var summary: ExportedLog.Summary
        /// How many downloads the state holds, deleted ones too.
        var downloads: Int
        /// The ledger it was exported from, in hexadecimal.
        var source: String
        /// The new ledger and the root of its log, in hexadecimal; nil when nothing was done.
        var ledger: String?
        var root: String?
    }

    /// The name that the file was given by.
    let name: String
    private var lines: LineReader
    private var events = EventJSONReader(payloadBytesMax: LogBounds.payloadBytesMax)

    /// An importer of the lines of a file.
    init(_ lines: LineReader, name: String) {
        self.lines = lines
        self.name = name
    }

    /// Imports into an empty home.
    /// - Throws: a ``Problem``: the file is cut, or not what was exported; the home is not empty, held, or not
    ///   writable. Nothing was changed then.
    mutating func run(into home: LedgerHome, world: World, isDryRun: Bool) throws(Problem) -> Report {
        guard let first = try line() else { throw problem("it is empty") }
        let header = try located { () throws(JSONProblem) in try ExportedLog.Header(first) }
        var target: LogImport
        do throws(LedgerError) { target = try LogImport(into: home, world: world, isDryRun: isDryRun) } catch {
            throw Problem(error)
        }
        let summary: ExportedLog.Summary
        do throws(Problem) {
            summary = try take(header, into: &target)
        } catch {
            do throws(LedgerError) { try target.abandon() } catch { throw Problem(error) }
            throw error
        }
        let downloads = target.state.queue.downloads.count
        let made: (identity: String, root: String)?
        do throws(LedgerError) { made = try target.finish() } catch { throw Problem(error) }
        return Report(
            summary: summary, downloads: downloads, source: header.ledger, ledger: made?.identity, root: made?.root)
    }

    /// Takes every line behind the first, and holds them against the last.
    private mutating func take(
        _ header: ExportedLog.Header, into target: inout LogImport
    ) throws(Problem) -> ExportedLog.Summary {
        var (count, gaps, taken) = (UInt64(0), UInt64(0), LinesDigest())
        while let value = try line() {
            guard case .object(let object) = value, object["summary"] == nil else {
                let summary = try located { () throws(JSONProblem) in try ExportedLog.Summary(value) }
                guard try line() == nil else { throw problem("something follows its last line") }
                try compare(summary, with: header, count, gaps, target.state)
                guard summary.linesDigest.map({ $0 == taken.digest }) ?? true else {
                    throw problem("the events are not those that were exported: some time, actor or command is another")
                }
                return summary
            }
            let sequence = target.state.sequence.next
            guard object["seq"]?.description == sequence.description else {
                throw problem("event \(sequence) should stand here")
            }
            taken.take(value.description + "\n")
            if object["type"] == .string(ExportedLog.gap) {
                gaps += 1
                try ledger { () throws(LedgerError) in try target.pass() }
            } else {
                let event = try event(value)
                count += 1
                try ledger { () throws(LedgerError) in try target.take(event) }
            }
        }
        throw problem("its last line is missing: the file was cut")
    }

    private func compare(
        _ summary: ExportedLog.Summary, with header: ExportedLog.Header, _ count: UInt64, _ gaps: UInt64,
        _ state: LedgerState
    ) throws(Problem) {
        guard summary.last == state.sequence, header.last == state.sequence, summary.events == count,
            summary.gaps == gaps
        else {
            throw problem(
                "its last line counts \(summary.events) events and \(summary.gaps) gaps up to \(summary.last), and "
                    + "\(count) and \(gaps) up to \(state.sequence) stand in it")
        }
        let digest = StateSnapshot.digest(of: state)
        guard digest == summary.digest else {
            throw problem("its events make the state \(digest), and it was \(summary.digest): it was changed")
        }
    }

    private mutating func event(_ value: JSONValue) throws(Problem) -> Recorded {
        do throws(JSONProblem) { return try events.event(value) } catch { throw problem(error.description) }
    }

    /// The next line that is not blank.
    private mutating func line() throws(Problem) -> JSONValue? {
        while true {
            let line: ArraySlice<UInt8>?
            do throws(FileError) { line = try lines.next() } catch { throw Problem(LedgerError.file(error)) }
            guard let line else { return nil }
            let text = line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
            if text.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { continue }
            return try located { () throws(JSONProblem) in try JSONValue(parsing: text) }
        }
    }

    private func located<Value>(_ body: () throws(JSONProblem) -> Value) throws(Problem) -> Value {
        do throws(JSONProblem) { return try body() } catch { throw problem(error.description) }
    }

    private func ledger(_ body: () throws(LedgerError) -> Void) throws(Problem) {
        do throws(LedgerError) { try body() } catch {
            guard case .coding(let cause) = error else { throw Problem(error) }
            throw problem(cause.cause)
        }
    }

    private func problem(_ what: String) -> Problem {
        Problem(
            .usage, "line \(lines.number) of '\(name)': \(what)",
            next: "take the file from 'ledger export' anew; nothing was changed", exitCode: .usage)
    }
}
