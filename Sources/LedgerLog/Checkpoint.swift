import LedgerModel

/// A size of a log and its root then, as it is handed out to be kept elsewhere: three lines of text in the form of C2SP
/// tlog-checkpoint (origin, size in decimal, root in base64).
package struct Checkpoint: Hashable, Sendable {
    /// Which ledger it is of.
    package let identity: LedgerID
    /// The size and the root.
    package let head: TreeHead

    /// A text longer than this is no checkpoint: three lines, and the signatures that a witness may have added.
    package static let textBytesMax = 64 << 10

    /// A checkpoint with both fields given.
    package init(identity: LedgerID, head: TreeHead) {
        self.identity = identity
        self.head = head
    }

    /// What the first line says: `ledger/` and the ledger's id in hexadecimal.
    package var origin: String { Self.originPrefix + identity.description }

    /// The three lines, each with its end.
    package var text: String { "\(origin)\n\(head.size)\n\(base64(head.root.bytes))\n" }

    /// The name of the file it is kept in, by its size, so that names sort as sizes do.
    package var fileName: String { Self.fileName(head.size) }

    /// The name of the file that a checkpoint of this size is kept in.
    package static func fileName(_ size: UInt64) -> String {
        SequenceName.name(SequenceNumber(size), "checkpoint")
    }

    private static let originPrefix = "ledger/"

    /// What is wrong with a text that should be a checkpoint.
    package struct Fault: Error, Hashable, Sendable {
        /// A clause without a full stop.
        package let reason: String
    }

    /// Reads a checkpoint. Lines after the third are those of extensions and signatures, and are not looked at.
    package init(parsing text: String) throws(Fault) {
        guard text.utf8.count <= Self.textBytesMax else { throw Fault(reason: "it is too long") }
        // A line may end with CR LF, which is one character.
        let lines = text.split(maxSplits: 3, omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        guard lines.count > 3 || lines.count == 3 && !lines[2].isEmpty else {
            throw Fault(reason: "it has fewer than three lines")
        }
        guard lines[0].hasPrefix(Self.originPrefix),
            let id = [UInt8](hex: lines[0].dropFirst(Self.originPrefix.count)), let identity = LedgerID(id)
        else { throw Fault(reason: "its first line is not '\(Self.originPrefix)' and the id of a ledger") }
        guard let size = UInt64(lines[1]), String(size) == lines[1], size < UInt64(Int64.max) else {
            throw Fault(reason: "its second line is not a size")
        }
        guard let bytes = LedgerModel.bytes(ofBase64: lines[2].utf8), base64(bytes) == lines[2],
            let root = TreeHash(bytes)
        else {
            throw Fault(reason: "its third line is not a root of 32 bytes in base64")
        }
        self.init(identity: identity, head: TreeHead(size: size, root: root))
    }
}
