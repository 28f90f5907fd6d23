extension DiskImage {
    /// The ways a power cut may go that a sweep should try, each once: all of it kept and none, content or names alone,
    /// every single change alone and every single one missing, every prefix, and every write torn, zeroed or spoilt.
    func survivorPlans() -> [SurvivorPlan] {
        let content = pendingContent
        let names = pendingNames.map(\.serial)
        let everyName = Set(names)
        let kept = [ContentFate](repeating: .kept, count: content.count)
        let dropped = [ContentFate](repeating: .dropped, count: content.count)
        var plans = [
            SurvivorPlan(content: kept, names: everyName), SurvivorPlan(content: dropped, names: []),
            SurvivorPlan(content: kept, names: []), SurvivorPlan(content: dropped, names: everyName),
        ]
        for serial in (content.map(\.serial) + names).sorted() {
            let fates: [ContentFate] = content.map { $0.serial <= serial ? .kept : .dropped }
            plans.append(SurvivorPlan(content: fates, names: everyName.filter { $0 <= serial }))
            plans.append(SurvivorPlan(content: fates, names: everyName))
        }
        for (index, change) in content.enumerated() {
            var fates = dropped
            fates[index] = .kept
            plans.append(SurvivorPlan(content: fates, names: everyName))
            for fate in spoilt(change) {
                fates = kept
                fates[index] = fate
                plans.append(SurvivorPlan(content: fates, names: everyName))
                for later in fates.indices where later > index { fates[later] = .dropped }
                plans.append(SurvivorPlan(content: fates, names: everyName))
            }
        }
        for serial in names {
            plans.append(SurvivorPlan(content: kept, names: closure(of: [serial])))
            plans.append(SurvivorPlan(content: kept, names: everyName.subtracting(dependents(of: serial))))
        }
        var seen: Set<SurvivorPlan> = []
        return plans.filter { seen.insert($0).inserted }
    }

    /// One way by chance, among all that are legal.
    func survivorPlan(by generator: inout some RandomNumberGenerator) -> SurvivorPlan {
        let content = pendingContent.map { change -> ContentFate in
            let spoilt = spoilt(change) + [.scrambled(generator.next())]
            switch UInt64.random(in: 0..<10, using: &generator) {
            case 0..<4: return .kept
            case 4..<7: return .dropped
            default: return spoilt.randomElement(using: &generator)!
            }
        }
        // Half of the time most names are kept, or a long chain of them would never be.
        let oneIn: UInt64 = Bool.random(using: &generator) ? 2 : 16
        var lost: Set<Int> = []
        for operation in pendingNames where UInt64.random(in: 0..<oneIn, using: &generator) == 0 {
            if !lost.contains(operation.serial) { lost.formUnion(dependents(of: operation.serial)) }
        }
        return SurvivorPlan(content: content, names: Set(pendingNames.map(\.serial)).subtracting(lost))
    }

    /// What can become of a change besides being kept or dropped.
    private func spoilt(_ change: ContentChange) -> [ContentFate] {
        guard case .write(let offset, let bytes) = change.what, !bytes.isEmpty else { return [.dropped] }
        let sectors = (offset + bytes.count - 1) / Self.sectorBytes - offset / Self.sectorBytes + 1
        var fates: [ContentFate] = [.dropped, .zeros, .garbage(UInt64(change.serial))]
        for cut in Set([1, sectors / 2, sectors - 1]).sorted() where cut > 0 && cut < sectors {
            fates += [.firstSectors(cut), .lastSectors(cut)]
        }
        if sectors > 1 { fates.append(.scrambled(UInt64(change.serial))) }
        return fates
    }

    /// An operation on names and all later ones that can not be durable without it.
    private func dependents(of serial: Int) -> Set<Int> {
        var lost: Set<Int> = [serial]
        var places: Set<NamePlace> = []
        for operation in pendingNames {
            let isLost =
                lost.contains(operation.serial) || operation.after.map(lost.contains) ?? false
                || operation.changes.contains { places.contains($0.place) }
            guard isLost else { continue }
            lost.insert(operation.serial)
            for change in operation.changes { places.insert(change.place) }
        }
        return lost
    }
}
