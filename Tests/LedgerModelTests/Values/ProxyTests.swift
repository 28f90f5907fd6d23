import LedgerModel
import Testing

struct ProxyTests {
    @Test(
        arguments: [
            ("http://proxy:3128", "http://proxy:3128", nil), ("proxy", "http://proxy:80", nil),
            ("Proxy:8080/", "http://proxy:8080", nil), ("https://proxy", "https://proxy:443", nil),
            ("socks5://proxy", "socks5://proxy:1080", nil), ("socks5h://proxy:80", "socks5h://proxy:80", nil),
            ("SOCKS5://proxy:443", "socks5://proxy:443", nil), ("http://[::1]:3128", "http://[::1]:3128", nil),
            ("http://eve:s%2Fx@proxy:1", "http://proxy:1", "eve:s/x"),
            ("socks5://eve@proxy", "socks5://proxy:1080", "eve:"),
        ] as [(String, String, String?)])
    func `a proxy is read`(text: String, shown: String, credentials: String?) throws {
        let proxy = try Proxy.parse(text)
        #expect(proxy.text == shown && proxy.credentials == credentials)
        #expect(try Proxy.parse(proxy.whole) == proxy)
        #expect(try Proxy.parse(proxy.text).text == shown)
    }

    @Test(arguments: [
        "", "ftp://proxy", "socks4://proxy", "http://", "http://proxy:0", "http://pro xy", "socks5://:1080",
    ])
    func `what is none is an error`(text: String) { #expect(throws: URLProblem.self) { try Proxy.parse(text) } }
}
