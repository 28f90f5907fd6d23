import LedgerAPI
import LedgerSystem

extension LedgerSession {
    /// Asks a person for a yes before something is done that can not be undone.
    /// - Throws: a ``Problem`` when the answer is another, or when there is nobody to ask and `--yes` was not given.
    func confirm(_ question: String, isConfirmed: Bool) throws(Problem) {
        if isConfirmed { return }
        guard let readLine = context.readLine else {
            throw Problem(
                .usage, "nothing was done: it can not be undone, and there is no terminal to ask on",
                next: "'--yes' does it without asking, '--dry-run' shows what it would do", exitCode: .usage)
        }
        console.writeError(question + " [y/N] ")
        let answer: String?
        // Nobody is there any more: that is no yes.
        do throws(FileError) { answer = try readLine()?.lowercased() } catch { answer = nil }
        guard answer == "y" || answer == "yes" else {
            throw Problem(.refused, "nothing was done", cause: "the answer was not yes", exitCode: .failed)
        }
    }
}
