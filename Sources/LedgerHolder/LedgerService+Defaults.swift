package import LedgerTransfer

extension LedgerService {
    /// What holds for every transfer unless its order says otherwise.
    package var transferDefaults: TransferSettings { configuration.transfer }
}
