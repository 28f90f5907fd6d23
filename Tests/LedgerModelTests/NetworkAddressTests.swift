import LedgerModel
import Testing

/// Which addresses are of the public Internet.
@Suite struct NetworkAddressTests {
    @Test(arguments: [
        "127.0.0.1", "127.1", "127.255.255.254", "2130706433", "0x7f.1", "0x7f000001", "017700000001", "0177.0.0.1",
        "0", "0.0.0.0", "10.0.0.1", "100.64.0.1", "100.127.255.255", "169.254.169.254", "172.16.0.1", "172.31.9.9",
        "192.168.1.1", "192.0.0.8", "198.18.0.1", "198.19.255.255", "224.0.0.251", "239.1.2.3", "255.255.255.255",
        "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "ff02::1", "::ffff:127.0.0.1",
        "::ffff:a00:1", "64:ff9b::10.0.0.1", "2002:7f00:1::", "2001:db8::1", "::127.0.0.1", "100::1", "127.0.0.1.",
        "192.0.2.1", "198.51.100.1", "203.0.113.255", "192.88.99.1", "2001::1", "2001:1ff:ffff::1", "3fff:fff::1",
    ])
    func `an address that the public Internet does not route is private`(text: String) throws {
        #expect(try #require(NetworkAddress(literal: text)).isPrivate)
        #expect(NetworkAddress.isPrivate(host: text))
    }

    @Test(arguments: [
        "1.1.1.1", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "169.253.1.1", "172.15.0.1",
        "172.32.0.1", "192.167.1.1", "192.0.1.1", "198.17.0.1", "198.20.0.1", "223.255.255.255", "134744072",
        "2606:4700:4700::1111", "2002:0808:0808::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
        "192.0.3.1", "198.51.101.1", "203.0.112.1", "192.88.98.1", "2001:200::1", "3fff:1000::1",
    ])
    func `any other address is public`(text: String) throws {
        #expect(try !#require(NetworkAddress(literal: text)).isPrivate)
        #expect(!NetworkAddress.isPrivate(host: text))
    }

    @Test(arguments: [
        "example.org", "1.2.3.4.5", "256.1.1.1", "1.2.3.256", "08.1.1.1", "", ".", "1..2", "a.b.c.d", "1::2::3",
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::12345", "4294967296", "0x1ffffffff",
    ])
    func `what is no address is a name, and a name is not private for its letters`(text: String) {
        #expect(NetworkAddress(literal: text) == nil)
        #expect(!NetworkAddress.isPrivate(host: text))
    }

    @Test func `localhost and all below it are loopback by their name`() {
        for name in ["localhost", "LocalHost", "localhost.", "api.localhost"] {
            #expect(NetworkAddress.isPrivate(host: name))
        }
        #expect(!NetworkAddress.isPrivate(host: "localhost.example.org"))
    }
}
