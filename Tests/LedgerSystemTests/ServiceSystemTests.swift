import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

/// What a service that runs for years asks of the system: a file that others rotate, and what disk it stands on.
struct ServiceSystemTests {
    private let fileSystem = RealFileSystem()

    @Test func `a file that was moved away is written to until it is opened anew`() throws {
        let directory = FilePath("/tmp/ledger-appended-\(String(UInt64.random(in: 0 ... .max), radix: 36))")
        try fileSystem.createDirectory(directory, permissions: 0o700)
        let (path, old) = (directory.appending("log"), directory.appending("log.1"))
        let file = try AppendedFile(path)
        try file.append("one\n")
        #expect(try fileSystem.status(of: path)?.permissions == 0o600)
        try fileSystem.rename(path, to: old, replacing: false)
        try file.append("two\n")
        try file.reopen()
        try file.append("three\n")
        // Another process that appends to it is not overwritten.
        try AppendedFile(path).append("four\n")
        try file.append("five\n")
        #expect(try fileSystem.contents(of: old) == Array("one\ntwo\n".utf8))
        #expect(try fileSystem.contents(of: path) == Array("three\nfour\nfive\n".utf8))
        for name in [path, old] { try fileSystem.unlink(name) }
        try fileSystem.removeDirectory(directory)
        #expect(throws: FileError.self) { try file.reopen() }
    }

    @Test func `file systems are known by their numbers`() throws {
        #expect(Volume(linux: 0xef53).trait == .local)
        #expect(Volume(linux: 0x6969) == Volume(linux: 0x6969))
        #expect(Volume(linux: 0x6969).trait == .network)
        #expect(Volume(linux: Int64(Int32(bitPattern: 0xff53_4d42))).name == "cifs")
        #expect(Volume(linux: 0x0102_1994).trait == .memory)
        #expect(Volume(linux: 0x794c_7630).trait == .layered)
        #expect(Volume(linux: 0x1234) == Volume(linux: 0x1234) && Volume(linux: 0x1234).name == "0x1234")
        #expect(Volume(darwin: "smbfs").trait == .network)
        #if os(Linux)
            #expect(try Volume(at: "/dev/shm").trait == .memory)
        #endif
        #expect(throws: FileError.self) { try Volume(at: "/nowhere/at/all") }
    }

    @Test func `the process knows its bounds and its standard error`() throws {
        #expect(try CurrentProcess.descriptorsMax() > 16)
        #expect(Output.error.identity != nil)
        #expect(Output(descriptor: 999, "closed").identity == nil)
    }
}
