import Testing

@testable import LedgerCommands

struct NetrcTests {
    private static let text = """
        # passwords
        machine example.org login ada password s3cret
        machine example.org login bob password "with \\"quotes\\" and space"
        machine Multi.Line
          login eve
          account ignored
          password #hash
        macdef init
        machine inside.macro login x password y

        machine no.login password only
        machine no.password login carl
        default login anonymous password guest
        machine late.org login late password late
        """

    @Test(
        arguments: [
            ("example.org", nil, "ada:s3cret"), ("example.org", "bob", "bob:with \"quotes\" and space"),
            ("multi.line", nil, "eve:#hash"), ("no.password", nil, "carl:"), ("inside.macro", nil, "anonymous:guest"),
            ("no.login", nil, "anonymous:guest"), ("www.example.org", nil, "anonymous:guest"),
            ("example.org", "zoe", nil), ("late.org", nil, "anonymous:guest"),
        ] as [(String, String?, String?)])
    func `a host gets the password of the first entry that fits`(host: String, login: String?, found: String?) throws {
        #expect(try Netrc(parsing: Self.text).credentials(for: host, login: login) == found)
    }

    @Test(arguments: ["", "machine", "machine a", "machine a login", "login x password y", "macdef x", "\n\n", "# a"])
    func `what says nothing gives nothing`(text: String) throws {
        #expect(try Netrc(parsing: text).credentials(for: "a") == nil)
    }

    @Test func `a quote that does not end is an error with its line`() {
        #expect(throws: Netrc.SyntaxError(line: 3)) { try Netrc(parsing: "machine a\nlogin b\npassword \"c\n") }
    }
}
