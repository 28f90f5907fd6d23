extension SimulatedDisk {
    /// Disks a power cut now could leave behind: a small set that tries every kind of loss on every unsynced change
    /// (about ten for each). The first keeps everything, the second nothing that was not synced.
    package func survivors() -> [SimulatedDisk] {
        let image = change { $0.image }
        return image.survivorPlans().map { SimulatedDisk(image: image.survivor($0)) }
    }

    /// The same, and so many others by chance that there are `count`, all different; one when all is synced.
    package func survivors(count: Int, seed: UInt64) -> [SimulatedDisk] {
        let image = change { $0.image }
        var generator = SplitMix64(seed: seed)
        var plans = image.survivorPlans()
        var seen = Set(plans)
        // Where little is unsynced there may be fewer ways than that.
        for _ in 0..<count * 2
        where plans.count < count && !(image.pendingContent.isEmpty && image.pendingNames.isEmpty) {
            let plan = image.survivorPlan(by: &generator)
            if seen.insert(plan).inserted { plans.append(plan) }
        }
        return plans.map { SimulatedDisk(image: image.survivor($0)) }
    }

    /// One disk a power cut now could leave behind, by chance: any legal subset, torn and spoilt anyhow.
    package func survivor(seed: UInt64) -> SimulatedDisk {
        var generator = SplitMix64(seed: seed)
        return survivor(using: &generator)
    }

    /// The same, with the chance of the caller.
    package func survivor(using generator: inout some RandomNumberGenerator) -> SimulatedDisk {
        let image = change { $0.image }
        return SimulatedDisk(image: image.survivor(image.survivorPlan(by: &generator)))
    }

    /// The disk without anything that was not synced: the harshest power cut.
    package func survivorOfTheWorst() -> SimulatedDisk {
        let image = change { $0.image }
        let dropped = [ContentFate](repeating: .dropped, count: image.pendingContent.count)
        return SimulatedDisk(image: image.survivor(SurvivorPlan(content: dropped, names: [])))
    }
}
