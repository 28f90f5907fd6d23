import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerViews
import SystemPackage

extension LedgerSession {
    /// The hooks that `--on EVENT,...=PROGRAM|URL` asks for.
    func hooks(_ texts: [String]) throws(Problem) -> [HookTarget] {
        var hooks: [HookTarget] = []
        for text in texts { hooks.append(try hook(text)) }
        return hooks
    }

    private func hook(_ text: String) throws(Problem) -> HookTarget {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            throw bad(text, "it names no event, or nobody to tell")
        }
        var occasions: Set<HookOccasion> = []
        for word in text[..<equals].split(separator: ",", omittingEmptySubsequences: false) {
            if word == "all" {
                occasions.formUnion(HookOccasion.allCases)
            } else if let occasion = HookOccasion(rawValue: String(word)) {
                occasions.insert(occasion)
            } else {
                throw bad(text, "'\(word)' is no event that can be told")
            }
        }
        return HookTarget(occasions, try place(String(text[text.index(after: equals)...]), text))
    }

    private func place(_ target: String, _ text: String) throws(Problem) -> HookTarget.Place {
        if target.contains("://") {
            do throws(URLProblem) { return .web(try ResourceURL.parse(target)) } catch {
                throw bad(text, "the address can not be used: \(error.reason)")
            }
        }
        guard !target.isEmpty else { throw bad(text, "it names nobody to tell") }
        let path = Paths.absolute(target, from: context.directory, home: context.environment["HOME"])
        guard try context.namedKind(of: FilePath(path)) == .regular else {
            throw bad(text, "there is no program '\(path)'")
        }
        return .program(path)
    }

    private func bad(_ text: String, _ why: String) -> Problem {
        let shown = text.contains("://") ? String(text.prefix { $0 != "=" }) : text
        return Problem(
            .usage, "'--on \(shown)' is no hook", cause: why,
            next: "for example --on complete,fail=/usr/local/bin/tell-me, or --on all=https://example.org/hook",
            exitCode: .usage)
    }
}
