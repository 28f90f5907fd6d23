import LedgerEngine
import LedgerServer
import LedgerSystem
import Testing

@testable import LedgerCommands

/// `token`: what opens the API is issued, renewed, listed and revoked.
@Suite(.timeLimit(.minutes(30))) struct TokenTests {
    @Test func `a token is shown once, and the home keeps its hash`() async throws {
        let shell = try Shell()
        let issued = await shell.run("token", "laptop", "--scope", "write")
        let token = String(try #require(issued.lines.first))
        #expect(issued.code == 0 && token.utf8.count == 64)
        let file = LedgerHome(shell.home).tokens
        let text = String(decoding: try RealFileSystem().contents(of: file, bytesMax: 4096) ?? [], as: UTF8.self)
        #expect(text.contains("laptop") && !text.contains(token))
        #expect(try RealFileSystem().status(of: file)?.permissions == 0o600)
        let listed = await shell.run("token", "--json")
        #expect(listed.output.contains(#""name":"laptop","scope":"write""#) && !listed.output.contains(token))
    }

    @Test func `a token that is issued again is another, and one that is revoked is none`() async throws {
        let shell = try Shell()
        let first = await shell.run("token", "laptop").output
        let second = await shell.run("token", "laptop").output
        #expect(first != second)
        #expect(await shell.run("token").lines.count == 1)
        #expect(await shell.run("token", "laptop", "--revoke").code == 0)
        #expect(await shell.run("token").output.isEmpty)
        let again = await shell.run("token", "laptop", "--revoke")
        #expect(again.code == 1 && again.errors.hasPrefix("not-found: there is no token 'laptop'"))
    }

    @Test(arguments: [
        ["--revoke"], ["--scope", "read"], ["a b"], ["x", "--scope", "root"], ["x", "--revoke", "--scope", "read"],
    ])
    func `what makes no sense is refused`(_ arguments: [String]) async throws {
        #expect(await (try Shell()).run(["token"] + arguments).code == 64)
    }

    @Test func `a token that others chose is taken from standard input`() async throws {
        let shell = try Shell()
        let taken = await shell.run("token", "aria2", "--given", input: "short\n")
        #expect(taken.code == 0 && taken.output.isEmpty && taken.errors.contains("can be guessed"))
        #expect(await shell.run("token").output.hasPrefix("aria2 "))
        for secret in ["", "two words", "\u{e9}", String(repeating: "x", count: 257)] {
            #expect(await shell.run("token", "other", "--given", input: secret).code == 64)
        }
        #expect(await shell.run("token").lines.count == 1)
    }

    @Test func `two that change the tokens at once do not overwrite each other`() async throws {
        let shell = try Shell()
        #expect(await shell.run("token", "one").code == 0)
        let lock = try #require(try RealFileSystem().lock(LedgerHome(shell.home).tokensLock))
        #expect(await shell.run("token", "two").errors.hasPrefix("held: another process changes the tokens"))
        lock.unlock()
        #expect(await shell.run("token", "two").code == 0)
        #expect(await shell.run("token").lines.count == 2)
    }
}
