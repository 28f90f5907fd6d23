"""The parts of tools/ledger-torture: the oracle, disks that fail, and one module for each layer of PROOF.md."""
