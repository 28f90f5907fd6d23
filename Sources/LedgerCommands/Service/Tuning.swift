import LedgerAPI
import LedgerHolder
import Synchronization

/// What is configured while `run` runs: read at the start, and anew on SIGHUP.
final class Tuning: Sendable {
    private struct State {
        var settings: Settings
        var configuration: ServiceConfiguration
        var service: LedgerService?
    }

    private let make: @Sendable (Settings) -> ServiceConfiguration
    private let state: Mutex<State>

    /// What holds at the start.
    /// - Parameter make: how a ledger is held by these settings, under the flags of the command.
    init(_ settings: Settings, _ make: @escaping @Sendable (Settings) -> ServiceConfiguration) {
        self.make = make
        state = Mutex(State(settings: settings, configuration: make(settings), service: nil))
    }

    /// How a ledger is to be held, as of now.
    var configuration: ServiceConfiguration { state.withLock { $0.configuration } }

    /// From now on what changes, changes for this service too, and what changed since it was opened.
    func attach(
        _ service: LedgerService, openedWith opened: ServiceConfiguration, _ report: (Problem) -> Void
    ) async {
        let now = state.withLock { state in
            state.service = service
            return state.configuration
        }
        // A trash that could not be emptied is looked at again.
        do throws(Problem) { try await service.retune(from: opened, to: now) } catch { report(error) }
    }

    /// Takes another reading of the configuration.
    /// - Returns: what of it is otherwise.
    func take(_ settings: Settings, _ report: (Problem) -> Void) async -> SettingChanges {
        let configuration = make(settings)
        let (before, service) = state.withLock { state in
            defer { (state.settings, state.configuration) = (settings, configuration) }
            return (state, state.service)
        }
        // A trash that could not be emptied is looked at again.
        do throws(Problem) { try await service?.retune(from: before.configuration, to: configuration) } catch {
            report(error)
        }
        return SettingChanges(settings.differences(from: before.settings))
    }
}

/// What another reading of the configuration says otherwise, apart by when it is heeded.
struct SettingChanges: Hashable, Sendable {
    /// What holds at once.
    private(set) var atOnce: [String] = []
    /// What `run` reads only when it starts.
    private(set) var atStart: [String] = []
    /// What holds for what is added from now on, by commands, feeds and clients.
    private(set) var byCommands: [String] = []

    /// The settings of these names.
    init(_ names: [String]) {
        for name in names {
            if Self.tuned.contains(name) {
                atOnce.append(name)
            } else if Self.fixed.contains(name) {
                atStart.append(name)
            } else {
                byCommands.append(name)
            }
        }
    }

    /// The changes, for people.
    var words: String {
        var parts: [String] = []
        if !atOnce.isEmpty { parts.append("changed now: \(atOnce.joined(separator: ", "))") }
        if !atStart.isEmpty { parts.append("only the next start heeds \(atStart.joined(separator: ", "))") }
        if !byCommands.isEmpty { parts.append("for what is added from now on: \(byCommands.joined(separator: ", "))") }
        return parts.isEmpty ? "nothing is otherwise" : parts.joined(separator: "; ")
    }

    private static let tuned: Set<String> = [
        "jobs", "perHost", "maxRate", "window", "queueMax", "queuePolicy", "compactAt", "trashSizeMax", "trashDaysMax",
    ]
    private static let fixed: Set<String> = [
        "dir", "redirectsMax", "retryWait", "retryFactor", "retryCap", "retryAfterCap",
    ]
}

extension Settings {
    /// The names of the settings that another reading has otherwise, in the order of the alphabet.
    func differences(from other: Settings) -> [String] {
        func differs<Value: Equatable>(_ path: KeyPath<Settings, Value>) -> Bool {
            self[keyPath: path] != other[keyPath: path]
        }
        let all = [
            ("cacert", differs(\.cacert)), ("cert", differs(\.cert)), ("compactAt", differs(\.compactAt)),
            ("cookies", differs(\.cookies)), ("dir", differs(\.directory)), ("jobs", differs(\.jobs)),
            ("key", differs(\.key)),
            ("limitRate", differs(\.limitRate)), ("maxRate", differs(\.maxRate)), ("noProxy", differs(\.noProxy)),
            ("perHost", differs(\.perHost)), ("proxy", differs(\.proxy)), ("queueMax", differs(\.queueMax)),
            ("queuePolicy", differs(\.queuePolicy)), ("redirectsMax", differs(\.redirectsMax)),
            ("retries", differs(\.retries)),
            ("retryAfterCap", differs(\.retryAfterCap)), ("retryCap", differs(\.retryCap)),
            ("retryFactor", differs(\.retryFactor)), ("retryWait", differs(\.retryWait)),
            ("timeout", differs(\.timeout)),
            ("trashDaysMax", differs(\.trashDaysMax)), ("trashSizeMax", differs(\.trashSizeMax)),
            ("userAgent", differs(\.userAgent)), ("window", differs(\.window)),
        ]
        return all.filter(\.1).map(\.0)
    }
}
