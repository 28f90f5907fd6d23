import LedgerModel
import Testing

struct IPAddressTests {
    @Test(
        arguments: [
            ("127.0.0.1", [127, 0, 0, 1]), ("255.255.255.255", [255, 255, 255, 255]),
            ("::", Array(repeating: 0, count: 16)), ("::1", Array(repeating: 0, count: 15) + [1]),
            ("[2001:db8::8:800:200C:417A]", [32, 1, 13, 184, 0, 0, 0, 0, 0, 8, 8, 0, 32, 12, 65, 122]),
            ("1:2:3:4:5:6:7:8", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]),
            ("::ffff:192.0.2.33", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 0, 2, 33]),
            ("fe80::", [254, 128] + Array(repeating: 0, count: 14)),
        ] as [(String, [UInt8])])
    func `an address is read`(text: String, bytes: [UInt8]) throws {
        #expect(try #require(IPAddress(parsing: text)).bytes == bytes)
    }

    @Test(arguments: [
        "", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.+4", "[1.2.3.4]", "localhost", ":", ":::", "1:2",
        "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::", "::1.2.3", "1.2.3.4::", "fe80::1%eth0", "[::1", "::+1",
        "1:2:3:4:5:6:7::8:9",
    ])
    func `what is none is none`(text: String) { #expect(IPAddress(parsing: text) == nil) }

    @Test(arguments: [
        ("10.1.2.3", "10.0.0.0", 8, true), ("11.1.2.3", "10.0.0.0", 8, false), ("10.1.2.3", "10.1.2.0", 23, true),
        ("10.1.4.3", "10.1.2.0", 23, false), ("10.1.2.3", "10.1.2.3", 32, true), ("10.1.2.4", "10.1.2.3", 32, false),
        ("1.2.3.4", "9.9.9.9", 0, true), ("1.2.3.4", "1.2.3.4", 33, false), ("::1", "::", 127, true),
        ("::1", "1.2.3.4", 0, false), ("2001:db8::1", "2001:db8::", 32, true),
    ])
    func `a network holds its addresses`(address: String, network: String, bits: Int, isWithin: Bool) throws {
        let (address, network) = (
            try #require(IPAddress(parsing: address)), try #require(IPAddress(parsing: network))
        )
        #expect(address.isWithin(network, bits: bits) == isWithin)
    }
}
