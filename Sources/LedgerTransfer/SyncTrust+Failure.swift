import LedgerModel
import LedgerSystem
import SystemPackage

extension SyncTrust {
    /// Throws what it means for a file that another sync failed on its device.
    func require(for path: FilePath) throws(Failure) {
        #if PLANTED_BUGS
            if PlantedBug.failureBesideIgnored.isOn { return }
        #endif
        if holds { return }
        throw Failure(
            .disk, "another sync failed on the disk that holds '\(path)', and may have taken bytes of this file along",
            isRetryable: true)
    }
}
