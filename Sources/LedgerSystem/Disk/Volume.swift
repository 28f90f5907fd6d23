import CLedgerSystem
package import SystemPackage

/// The kind of file system behind a path, and whether a ledger is safe there.
package struct Volume: Hashable, Sendable {
    /// What is to be known of a kind before a ledger is put there.
    package enum Trait: Hashable, Sendable {
        /// Nothing.
        case local
        /// Another machine keeps it: locks and syncs are as good as that one's.
        case network
        /// Memory: it is gone with the machine.
        case memory
        /// The layers of a container: it is gone with the container.
        case layered
    }

    /// What the kind is called, such as `ext4`; its number in hexadecimal for one that is not known here.
    package let name: String
    /// What is to be known of it.
    package let trait: Trait

    /// The kind behind a path. `statfs(2)`.
    package init(at path: FilePath) throws(FileError) {
        var number: Int64 = 0
        var text = [CChar](repeating: 0, count: 64)
        try systemCall("statfs", path) {
            unsafe path.withPlatformString { unsafe ledger_volume_kind($0, &number, &text, 64) }
        }
        let name = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self = name.isEmpty ? Volume(linux: number) : Volume(darwin: name)
    }

    /// A kind by its number (`linux/magic.h`).
    package init(linux number: Int64) {
        // Some are negative where the field is 32 bits wide.
        let number = UInt32(truncatingIfNeeded: number)
        (name, trait) = Self.linux[number] ?? ("0x" + String(number, radix: 16), .local)
    }

    /// A kind by its name on Darwin.
    package init(darwin name: String) {
        self.name = name
        trait = ["nfs", "smbfs", "afpfs", "webdav"].contains(name) ? .network : .local
    }

    private static let linux: [UInt32: (String, Trait)] = [
        0xef53: ("ext4", .local), 0x5846_5342: ("xfs", .local), 0x9123_683e: ("btrfs", .local),
        0x2fc1_2fc1: ("zfs", .local), 0xf2f5_2010: ("f2fs", .local), 0xca45_1a4e: ("bcachefs", .local),
        0x6969: ("nfs", .network), 0x517b: ("smb", .network), 0xff53_4d42: ("cifs", .network),
        0xfe53_4d42: ("smb", .network), 0x0102_1997: ("9p", .network), 0x00c3_6400: ("ceph", .network),
        0x6573_5546: ("fuse", .network), 0x5346_414f: ("afs", .network), 0x0bd0_0bd0: ("lustre", .network),
        0x0102_1994: ("tmpfs", .memory), 0x8584_58f6: ("ramfs", .memory), 0x794c_7630: ("overlay", .layered),
    ]
}
