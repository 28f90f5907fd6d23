import LedgerAPI
import LedgerViews
import Testing

@testable import LedgerCommands

struct ProxyEnvironmentTests {
    @Test(
        arguments: [
            (["http_proxy": "a"], "a", nil), (["HTTP_PROXY": "a"], nil, nil), (["https_proxy": "a"], nil, "a"),
            (["HTTPS_PROXY": "a"], nil, "a"), (["https_proxy": "a", "HTTPS_PROXY": "b"], nil, "a"),
            (["all_proxy": "a"], "a", "a"), (["ALL_PROXY": "a"], "a", "a"),
            (["all_proxy": "a", "ALL_PROXY": "b"], "a", "a"),
            (["http_proxy": "a", "all_proxy": "b"], "a", "b"), (["http_proxy": "", "all_proxy": "b"], "b", "b"),
            (["HTTP_PROXY": "a", "all_proxy": "b"], "b", "b"), ([:], nil, nil),
        ] as [([String: String], String?, String?)])
    func `the variables count as curl counts them`(variables: [String: String], plain: String?, secure: String?) {
        let environment = ProxyEnvironment(variables)
        #expect(environment.proxy(isSecure: false)?.text == plain)
        #expect(environment.proxy(isSecure: true)?.text == secure)
    }

    @Test func `what API clients order goes by the configuration's, or by these`() {
        var warnings: [String] = []
        func proxies(_ settings: Settings, _ variables: [String: String]) -> OwnDefaults {
            OwnDefaults(settings, ProxyEnvironment(variables)) { warnings.append($0.message) }
        }
        let environment = ["http_proxy": "http://e:1", "no_proxy": "x"]
        var settings = Settings()
        let found = proxies(settings, environment)
        #expect((found.http, found.https, found.noProxy) == ("http://e:1", nil, "x"))
        (settings.proxy, settings.noProxy) = ("http://c:2", "y")
        let named = proxies(settings, environment)
        #expect((named.http, named.https, named.noProxy) == ("http://c:2", "http://c:2", "y"))
        #expect(warnings == [])
        (settings.limitRate, settings.retries) = (ByteSize(parsing: "2K"), 3)
        (settings.userAgent, settings.timeout) = ("me/1", Silence(argument: "9s"))
        let all = proxies(settings, environment)
        #expect((all.bytesPerSecondMax, all.retriesMax, all.userAgent) == (2048, 3, "me/1"))
        #expect(all.silenceMillisecondsMax == 9000)
        let odd = proxies(Settings(), ["http_proxy": "ftp://e", "https_proxy": "http://e:1"])
        #expect((odd.http, odd.https) == (nil, "http://e:1"))
        #expect(warnings == ["'http_proxy' in the environment is 'ftp://e', which is no proxy"])
    }

    @Test func `hosts to be reached without one stand in either variable`() {
        #expect(ProxyEnvironment(["NO_PROXY": "a"]).noProxy == "a")
        #expect(ProxyEnvironment(["NO_PROXY": "a", "no_proxy": "b"]).noProxy == "b")
        #expect(ProxyEnvironment(["no_proxy": ""]).noProxy == nil)
    }
}
