#if PLANTED_BUGS
    import LedgerModel
    import LedgerSystem

    extension Publication {
        /// The bug ``PlantedBug/renamedBeforeSync``: the content follows the name.
        func synchronizeLate(_ members: [Member]) async {
            for part in members.compactMap(\.item.part) {
                do throws(Failure) {
                    try await blocking.run { () throws(Failure) in try part.synchronizeContent() }
                } catch {
                    // It has its name by now.
                }
            }
        }
    }
#endif
