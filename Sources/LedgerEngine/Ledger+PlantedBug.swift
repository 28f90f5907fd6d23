#if PLANTED_BUGS
    import LedgerModel
    import LedgerSystem
    import SystemPackage

    extension Ledger {
        /// The bug ``PlantedBug/unlinkedBeforeDeleted``: the file goes before its deletion is durable.
        func unlinkEarly(_ event: Recorded, _ files: Queue) {
            guard case .deleted = event.event, let file = event.id.flatMap({ files[$0]?.file?.value }) else {
                return
            }
            do throws(FileError) {
                try world.fileSystem.unlink(FilePath(file.path))
                try world.fileSystem.synchronizeDirectory(FilePath(file.path).removingLastComponent())
            } catch {
                // What is not there can not go early.
            }
        }
    }
#endif
