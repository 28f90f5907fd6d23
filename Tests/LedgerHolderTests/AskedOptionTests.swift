import LedgerAPI
import LedgerModel
import Testing

/// What a row says was asked for.
struct AskedOptionTests {
    private func order(_ change: (inout TransferOptions) -> Void) throws -> Order {
        var options = TransferOptions()
        change(&options)
        return Order(
            url: try ResourceURL.parse("http://a/b").url, destination: Destination(directory: "/d", name: nil),
            options: Shared(options))
    }

    @Test func `of a plain order there is nothing to be said`() throws {
        #expect(try order { _ in }.asked.isEmpty)
    }

    @Test func `what takes too much room in lists is only named`() throws {
        let mirrors = try (0..<40).map {
            try ResourceURL.parse("http://a/\($0)/" + String(repeating: "x", count: 1000)).url
        }
        let proxied = String(repeating: "y", count: AskedOption.textBytesMax - 4)
        let asked = try order { options in
            options.mirrors = mirrors
            options.noProxy = proxied
            options.userAgent = "short"
            options.isInsecure = true
        }.asked
        let expected = [
            AskedOption(name: "noProxy", value: .text(proxied)),
            AskedOption(name: AskedOption.leftOut, value: .texts(["mirror", "userAgent"])),
        ]
        #expect(asked == expected, "\(asked.map(\.name))")
    }
}
