import LedgerModel
import LedgerSystem

extension Attempt {
    /// Fetches the Metalink that an answer points to, for the hashes of the pieces and the mirrors in it. It is a help
    /// and no more: when it is not to be had, or says something else than the answer, all goes on without it.
    func describe(from url: ResourceURL) async {
        let other = assignment.asking(for: Assignment.Mirror(url), isLearned: true)
        let fetch = DocumentFetch(transport: worker.transport, clock: worker.clock, settings: worker.settings)
        let document: DocumentFetch.Document
        do throws(Failure) { document = try await fetch.fetch(other, bytesMax: Metalink.bytesMax) } catch { return }
        let metalink: Metalink
        do throws(XMLProblem) {
            // It may be long, and every stream waits for this thread.
            metalink = try await worker.blocking.run { () throws(XMLProblem) in
                try Metalink.parse(document.bytes, base: document.url)
            }
        } catch { return }
        withState { state in
            state.machine.learn(metalink)
            guard state.checks == nil, let checks = state.machine.pieceChecks else { return }
            (state.checks, state.wrongPieces) = (checks, [:])
            // What was hashed before may turn out to be wrong: from here on only right pieces are.
            state.digest = RunningDigest(stated: state.machine.expected?.algorithm, absorbs: false)
        }
    }
}
