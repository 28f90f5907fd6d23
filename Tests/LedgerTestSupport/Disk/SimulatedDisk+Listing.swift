import LedgerModel

extension SimulatedDisk {
    /// Everything on the disk as it is seen, a line for each name in order: path, length, sum of the content, and `*`
    /// where something is not durable.
    package var listing: String {
        let image = change { $0.image }
        var lines: [String] = []
        image.describe(DiskImage.root, "", into: &lines)
        return lines.joined(separator: "\n")
    }

    /// A sum over ``listing``: equal for disks that look the same and are equally durable, in every process.
    package var digest: UInt64 {
        listing.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

extension DiskImage {
    fileprivate func describe(_ number: InodeNumber, _ path: String, into lines: inout [String]) {
        let directory = inodes[number]!
        let unsynced = Set(
            pendingNames.flatMap(\.changes).filter { $0.directory == number }.map(\.name))
        for (key, child) in directory.names.sorted(by: { $0.key.text < $1.key.text }) {
            let name = key.text
            let inode = inodes[child]!
            let mark = unsynced.contains(key) ? "*" : ""
            switch inode.kind {
            case .directory:
                lines.append("\(path)/\(name)/\(mark)")
                describe(child, "\(path)/\(name)", into: &lines)
            case .file:
                var sum: UInt64 = 0
                inode.content.mix(into: &sum)
                let isDurable = inode.pending.isEmpty && !inode.hasDiverged
                lines.append(
                    "\(path)/\(name)\(mark) \(inode.content.count) \(String(sum, radix: 16))\(isDurable ? "" : "*")")
            }
        }
    }
}
