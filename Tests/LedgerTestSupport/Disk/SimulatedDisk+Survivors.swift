extension SimulatedDisk {
    /// Disks a power cut now could leave behind: a small set that tries every kind of loss on every unsynced change
    /// (about ten for each). The first keeps everything, the second nothing that was not synced.
    package func survivors() -> [SimulatedDisk] {
        let image = change { $0.image }
        return image.survivorPlans().map { SimulatedDisk(image: image.survivor($0)) }
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
