import LedgerModel
import LedgerSystem
import LedgerTestSupport
import Logging
import Synchronization
import SystemPackage
import Testing

@testable import LedgerCommands

/// What `run` says into a log: the journal's way, a file's way, and never a secret.
struct ServiceLogTests {
    private let said = Said()

    private final class Said: Sendable {
        let text = Mutex("")
    }

    private func logger(_ place: ServiceLog.Place, _ level: Logger.Level = .notice) -> Logger {
        let handler = ServiceLog(place, level, clock: ManualClock(.epoch)) { text in
            said.text.withLock { $0 += text }
        }
        return Logger(label: "test") { _ in handler }
    }

    @Test func `the journal is told how much a line matters, and no time`() {
        let log = logger(.journal, .trace)
        for level in Logger.Level.allCases { log.log(level: level, "x") }
        #expect(said.text.withLock { $0 } == "<7>x\n<7>x\n<6>x\n<5>x\n<4>x\n<3>x\n<2>x\n")
    }

    @Test func `a message is one line, whatever is in it, and holds no secret`() {
        let log = logger(.journal)
        log.debug("too little")
        log.warning(
            "one\n<0>two \u{1B}[31m https://user:hunter2@h/x?token=hunter2&a=b",
            metadata: ["url": "http://h/?signature=hunter2"])
        let text = said.text.withLock { $0 }
        #expect(text.split(separator: "\n").count == 1 && text.hasPrefix("<4>one; <0>two "), "\(text)")
        #expect(!text.contains("hunter2") && !text.contains("\u{1B}") && text.contains("a=b"), "\(text)")
    }

    @Test func `without a journal or a file the words stay as they are`() {
        let log = logger(.plain)
        log.notice("done")
        log.warning("careful")
        #expect(said.text.withLock { $0 } == "done\nwarning: careful\n")
    }

    @Test func `a file that takes nothing does not swallow a line`() throws {
        logger(.file(try AppendedFile("/dev/full"))).error("lost?")
        #expect(said.text.withLock { $0 }.contains("'/dev/full' takes no line"))
        #expect(said.text.withLock { $0 }.contains("lost?"))
    }

    @Test func `run appends to its file, which is opened anew by SIGHUP`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "-d", "out", "http://127.0.0.1:9/a.bin?token=hunter2").code == 0)
        let flags = ["run", "--no-api", "--log-file", "service.log", "--log-level", "info", "--until-idle"]
        try shell.write("service.log", Array("before\n".utf8))
        let result = await shell.run(flags)
        #expect(result.code == 1 && result.errors.isEmpty, "\(result.errors)")
        let lines = String(decoding: try #require(try shell.contents("service.log")), as: UTF8.self)
            .split(separator: "\n")
        #expect(lines.first == "before")
        #expect(lines.contains { $0.contains("Z warning [1/1] download 1 failed") }, "\(lines)")
        #expect(lines.allSatisfy { !$0.contains("hunter2") })

        let (hangUps, hangUp) = AsyncStream.makeStream(of: Void.self)
        let (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self)
        async let running = shell.run(
            "run", "--no-api", "--log-file", "service.log", interrupts: interrupts, hangUps: hangUps)
        try await shell.wait(for: "\"jobs\"", in: "limit", "--json")
        try shell.rename("service.log", to: "service.log.1")
        hangUp.yield()
        while try shell.contents("service.log")?.isEmpty ?? true { await Task.yield() }
        interrupt.yield()
        #expect(await running.code == 0)
        let text = String(decoding: try #require(try shell.contents("service.log")), as: UTF8.self)
        #expect(text.contains(" notice the configuration was read anew: nothing is otherwise\n"), "\(text)")
        #expect(text.hasSuffix(" notice stopped; what was received is recorded\n"), "\(text)")
    }

    @Test func `an error that ends a run is in its log`() async throws {
        let shell = try Shell()
        try shell.write("home", [1])
        let filed = await shell.run("run", "--log-file", "service.log")
        #expect(filed.code != 0 && !filed.errors.isEmpty)
        let text = String(decoding: try #require(try shell.contents("service.log")), as: UTF8.self)
        #expect(text.contains(" error ") && text.contains("exit="), "\(text)")
        let plain = await shell.run("run", "--log-level", "error")
        #expect(plain.code == filed.code && plain.errors.split(separator: "\n").count == 1, "\(plain.errors)")
        #expect(await shell.run("run", "--log-file", "no/such/log").code == 64)
        #expect(await shell.run("run", "--log-level", "loud").code == 64)
    }
}
