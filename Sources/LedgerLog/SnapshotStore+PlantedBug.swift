#if PLANTED_BUGS
    import LedgerModel
    import LedgerSystem

    extension SnapshotStore {
        /// The bug ``PlantedBug/snapshotNotSynced``: the snapshot has its name before its content is durable.
        func saveUnsynced(_ snapshot: Snapshot) throws(LogError) {
            try disk("save a snapshot") { () throws(FileError) in
                let path = home.snapshot(snapshot.sequence)
                let file = try fileSystem.open(path, .createOrUpdate(permissions: LogHome.fileMode))
                defer { file.close() }
                try file.write(snapshot.encoded(identity), at: 0)
                try fileSystem.synchronizeDirectory(home.snapshots)
            }
        }
    }
#endif
