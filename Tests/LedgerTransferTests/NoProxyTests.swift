import LedgerTransfer
import Testing

struct NoProxyTests {
    @Test(arguments: [
        ("example.org", "example.org", true), ("example.org", "EXAMPLE.org.", true),
        ("example.org", "a.example.org", true),
        ("example.org", "notexample.org", false), ("example.org", "example.org.evil", false),
        (".example.org", "example.org", true), (".example.org", "a.b.example.org", true),
        ("example.org.", "example.org", true), ("a.org, example.org", "example.org", true),
        ("a.org example.org", "example.org", true), ("a.org,,", "b.org", false), ("*", "anything", true),
        ("*", "10.0.0.1", true), ("a,*", "b", true), ("*.org", "example.org", false), ("", "example.org", false),
        ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.11", false), ("0.1", "127.0.0.1", false),
        ("10.0.0.0/8", "10.200.1.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/99", "10.0.0.1", false),
        ("10.0.0.0/x", "10.0.0.0", false), ("192.168.1.0/25", "192.168.1.127", true),
        ("192.168.1.0/25", "192.168.1.128", false), ("::1", "::1", true), ("[::1]", "::1", true),
        ("::1", "0:0:0:0:0:0:0:1", true), ("2001:db8::/32", "2001:db8:1::5", true),
        ("2001:db8::/32", "2001:db9::1", false),
        ("10.0.0.0/8", "10.example.org", false), ("localhost", "localhost", true), ("host:80", "host", false),
    ])
    func `a list covers what curl's covers`(list: String, host: String, isCovered: Bool) {
        #expect(NoProxy(parsing: list).covers(host) == isCovered)
    }
}
