import LedgerAPI
import LedgerServer
import LedgerSystem

/// What SIGHUP does to a `run`: the log's file is opened anew, so that it can be rotated, and the certificate, which
/// may have been renewed, and `config.yaml` are read anew. It never ends the process, unless it means what it did at
/// first: that the terminal went away.
struct Reload: Sendable {
    /// The ledger, and where to say what happens.
    let session: LedgerSession
    /// What is configured.
    let tuning: Tuning
    /// Who is told.
    let manager: ServiceManager
    /// The log's file; nil where there is none.
    let file: AppendedFile?
    /// What the API is encrypted with; nil where it is not.
    let certificate: ServerCertificate?
    private let hadTerminal: Bool

    init(
        _ session: LedgerSession, _ tuning: Tuning, _ manager: ServiceManager, _ file: AppendedFile?,
        _ certificate: ServerCertificate?
    ) {
        self.session = session
        self.tuning = tuning
        self.manager = manager
        self.file = file
        self.certificate = certificate
        hadTerminal = session.context.console.errorTerminal() != nil
    }

    /// Whether the signal says that whoever looked on has closed the terminal: they are asked no more, and the command
    /// ends in order, as others do.
    var isFarewell: Bool { hadTerminal && session.context.console.errorTerminal() == nil }

    /// Does so; what is wrong with the configuration leaves everything as it was.
    func run() async {
        manager.reloading()
        reopen()
        renew()
        let words: String
        do throws(Problem) {
            let settings = try await LedgerSession.settings(of: session.home, in: session.context)
            let changes = await tuning.take(settings) { session.report($0) }
            words = "the configuration was read anew: \(changes.words)"
            session.console.note(words)
        } catch {
            words = "the configuration was not taken, and everything stays as it was"
            session.report(error)
            session.console.warn(words)
        }
        manager.reloaded(words)
    }

    private func reopen() {
        guard let file else { return }
        do throws(FileError) { try file.reopen() } catch {
            session.console.warn("'\(file.path)' can not be opened anew (\(error.errno)); the old file is written to")
        }
    }

    private func renew() {
        guard let certificate else { return }
        do throws(Problem) { try certificate.reload() } catch {
            session.report(error)
            session.console.warn("the certificate is shown on that was")
        }
    }
}
