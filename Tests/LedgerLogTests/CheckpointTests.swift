import Testing

@testable import LedgerLog

@Suite struct CheckpointTests {
    private let checkpoint = Checkpoint(
        identity: LedgerID(1, 2), head: TreeHead(size: 12_408, root: MerkleTree.emptyRoot))

    @Test func `it is three lines, and read again it is the same`() throws {
        #expect(
            checkpoint.text == """
                ledger/01000000000000000200000000000000
                12408
                47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=

                """)
        #expect(try Checkpoint(parsing: checkpoint.text) == checkpoint)
        #expect(try Checkpoint(parsing: String(checkpoint.text.dropLast())) == checkpoint)
        #expect(try Checkpoint(parsing: checkpoint.text.replacing("\n", with: "\r\n")) == checkpoint)
        #expect(try Checkpoint(parsing: checkpoint.text + "\n\u{2014} witness.example AbCd=\n") == checkpoint)
        #expect(checkpoint.fileName == "0000000000012408.checkpoint")
    }

    @Test(arguments: [
        ("", "fewer than three lines"), ("a\nb", "fewer than three lines"), ("a\nb\n", "fewer than three lines"),
        ("other/01\n1\nx\n", "first line"), ("ledger/01\n1\nx\n", "first line"),
        ("ledger/01000000000000000200000000000000\n01\nx\n", "second line"),
        ("ledger/01000000000000000200000000000000\n-1\nx\n", "second line"),
        ("ledger/01000000000000000200000000000000\n99999999999999999999\nx\n", "second line"),
        ("ledger/01000000000000000200000000000000\n1\nAAAA\n", "third line"),
        ("ledger/01000000000000000200000000000000\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU\n", "third line"),
        ("ledger/01000000000000000200000000000000\n1\n!\n", "third line"),
        (String(repeating: "x", count: 70_000), "too long"),
    ])
    func `what is none says why`(text: String, reason: String) {
        let fault = #expect(throws: Checkpoint.Fault.self) { try Checkpoint(parsing: text) }
        #expect(fault?.reason.contains(reason) ?? false)
    }
}
