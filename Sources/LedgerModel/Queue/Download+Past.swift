extension Download {
    /// What most downloads that wait do not have. It stands in a box beside them, so that a million of them are small.
    package struct Past: Hashable, Sendable {
        /// See ``Download/startedAt``.
        package var startedAt: Timestamp?
        /// See ``Download/completedAt``.
        package var completedAt: Timestamp?
        /// See ``Download/publishedIn``.
        package var publishedIn: SequenceNumber?
        /// See ``Download/standing``.
        package var standing: Shared<StandingFile>?
        /// See ``Download/checkedAt``.
        package var checkedAt: Timestamp?
        /// See ``Download/deletion``.
        package var deletion: Shared<Deletion>?
        /// See ``Download/usedAt``.
        package var usedAt: Timestamp?
        /// See ``Download/isPinned``.
        package var isPinned = false
        /// See ``Download/partStem``; nil where it is the name that is planned now.
        package var partStem: String?

        /// Nothing of it.
        package init() {}

        private static let empty = Past()
        fileprivate var isEmpty: Bool { self == Self.empty }
    }

    /// When the origin first answered.
    package var startedAt: Timestamp? {
        get { past?.value.startedAt }
        set { changePast { $0.startedAt = newValue } }
    }

    /// When it was completed.
    package var completedAt: Timestamp? {
        get { past?.value.completedAt }
        set { changePast { $0.completedAt = newValue } }
    }

    /// The event that put the file under its final name: of two files under one name, the later one stands there.
    package var publishedIn: SequenceNumber? {
        get { past?.value.publishedIn }
        set { changePast { $0.publishedIn = newValue } }
    }

    /// The finished file that stands while its origin is asked for a newer one; nil otherwise.
    package var standing: Shared<StandingFile>? {
        get { past?.value.standing }
        set { changePast { $0.standing = newValue } }
    }

    /// When the origin last said that the finished file is what it has.
    package var checkedAt: Timestamp? {
        get { past?.value.checkedAt }
        set { changePast { $0.checkedAt = newValue } }
    }

    /// What became of the file when it was last deleted; kept when that is undone, since there the file comes back
    /// from.
    package var deletion: Shared<Deletion>? {
        get { past?.value.deletion }
        set { changePast { $0.deletion = newValue } }
    }

    /// When the finished file was last of use to someone; nil when it never was.
    package var usedAt: Timestamp? {
        get { past?.value.usedAt }
        set { changePast { $0.usedAt = newValue } }
    }

    /// Whether the finished file stays, whatever its group may hold.
    package var isPinned: Bool {
        get { past?.value.isPinned ?? false }
        set { changePast { $0.isPinned = newValue } }
    }

    /// What the name of its part file begins with: the name that was planned at first. Another URL plans another name,
    /// and the bytes stay where they are; a part may be there before it is on record.
    package var partStem: String { keptPartStem ?? order.plannedName }

    /// ``partStem`` where that is not the name that is planned now.
    package var keptPartStem: String? { past?.value.partStem }

    /// Takes another order. Its part keeps its name.
    mutating func replaceOrder(by order: Order) {
        let kept = partStem != order.plannedName ? partStem : nil
        self.order = order
        if past?.value.partStem != kept { changePast { $0.partStem = kept } }
    }

    /// Changes some of it in one step; there is no box where there is nothing in it, so that equal downloads are equal.
    package mutating func changePast(_ change: (inout Past) -> Void) {
        var new = past?.value ?? Past()
        change(&new)
        if let past {
            if new != past.value { self.past = new.isEmpty ? nil : Shared(new) }
        } else if !new.isEmpty {
            past = Shared(new)
        }
    }
}
