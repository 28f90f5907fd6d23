import LedgerTransfer
import NIOPosix
import Synchronization

/// The hosts to which this machine itself has no way, as when its network is lost: that says nothing against what is
/// fetched from there, and is waited for.
///
/// A machine that never had a network, as in a container without one, has lost none.
final class LostWays: Sendable {
    /// How many hosts are remembered; of one more it is not known that the way is missing.
    static let hostsMax = 1024

    private let look: NetworkLook
    private let hadInterface: Bool
    /// To each such host the addresses of which one must be reached: its own, and those that stand for any.
    private let lost = Mutex<[String: [String]]>([:])

    init(_ look: NetworkLook) {
        self.look = look
        hadInterface = look.hasInterface()
    }

    /// Whether a connection failed for want of a network here; remembered until there is a way again.
    /// - Parameter addresses: those of the host; none when its name could not be looked up. A network without a way to
    ///   others may have a resolver of its own, whose word counts: it is asked again, on a thread that may wait.
    func note(_ host: String, _ addresses: [String]) async -> Bool {
        // Who reaches others has a network, though none to this one: IPv4 alone, say.
        let all = addresses + NetworkLook.anyAddresses
        guard hadInterface || look.hasInterface(), !all.contains(where: look.hasWay) else { return false }
        if addresses.isEmpty {
            do {
                let isUnknown = try await NIOThreadPool.singleton.runIfActive { [look] in look.isUnknown(host) }
                if isUnknown { return false }
            } catch {
                // The pool of the process ends with the process alone.
                return false
            }
        }
        lost.withLock { lost in
            if lost.count < Self.hostsMax || lost[host] != nil { lost[host] = all }
        }
        return true
    }

    /// The hosts to which there is still no way; the others are forgotten.
    func hosts() -> Set<String> {
        let known = lost.withLock { $0 }
        guard !known.isEmpty else { return [] }
        let back = known.filter { $0.value.contains(where: look.hasWay) }
        if !back.isEmpty {
            lost.withLock { lost in
                for (host, addresses) in back where lost[host] == addresses { lost[host] = nil }
            }
        }
        return Set(known.keys.filter { back[$0] == nil })
    }
}
