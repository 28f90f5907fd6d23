/// The layers: every import points down.
enum Imports {
    /// What each target may import besides the standard library: the table of the layers in Package.swift.
    private static let allowed: [String: Set<String>] = [
        "LedgerModel": ["DequeModule"],
        "LedgerSystem": ["LedgerModel", "CLedgerSystem", "Dispatch", "HeapModule", "SystemPackage"],
        "LedgerCoding": ["LedgerModel"],
        "LedgerAPI": ["LedgerModel"],
        "LedgerFeeds": ["LedgerModel", "LedgerCoding"],
        "LedgerLog": ["LedgerModel", "LedgerSystem", "CLedgerSystem", "CZlib", "Crypto", "SystemPackage"],
        "LedgerTransfer": ["LedgerModel", "LedgerSystem", "Crypto", "HTTPTypes", "SystemPackage"],
        "LedgerMigrations": ["LedgerModel", "LedgerCoding"],
        "LedgerHTTP": [
            "CZlib", "LedgerModel", "LedgerTransfer", "AsyncHTTPClient", "HTTPTypes", "NIOCore", "NIOPosix", "NIOHTTP1",
            "NIOHPACK", "NIOHTTP2",
            "NIOSSL", "NIOTLS", "NIOConcurrencyHelpers", "SystemPackage",
        ],
        "LedgerEngine": [
            "LedgerModel", "LedgerSystem", "LedgerCoding", "LedgerAPI", "LedgerLog", "LedgerTransfer",
            "LedgerMigrations", "CoreMetrics", "Crypto", "DequeModule", "SystemPackage",
        ],
        "LedgerHolder": [
            "LedgerModel", "LedgerSystem", "LedgerCoding", "LedgerAPI", "LedgerFeeds", "Crypto", "DequeModule",
            "Subprocess",
            "LedgerTransfer", "LedgerEngine", "LedgerHTTP",
            "LedgerMigrations", "Logging", "SystemPackage",
        ],
        "DownloadLedger": [
            "LedgerModel", "LedgerSystem", "LedgerCoding", "LedgerAPI", "LedgerTransfer", "LedgerEngine",
            "LedgerHolder", "Crypto", "Logging", "Observation", "SystemPackage",
        ],
        "DownloadLedgerURLSession": [
            "DownloadLedger", "LedgerModel", "LedgerTransfer", "HTTPTypes", "Foundation", "FoundationNetworking",
        ],
        "DownloadLedgerTesting": [
            "DownloadLedger", "LedgerModel", "LedgerSystem", "LedgerTransfer", "LedgerEngine", "LedgerTestSupport",
            "HTTPTypes", "SystemPackage",
        ],
        "LedgerViews": [
            "LedgerModel", "LedgerSystem", "LedgerCoding", "LedgerAPI", "LedgerLog", "LedgerEngine", "LedgerHolder",
            "SystemPackage",
        ],
        "LedgerAria2": [
            "LedgerModel", "LedgerSystem", "LedgerCoding", "LedgerAPI", "LedgerTransfer", "LedgerEngine",
            "LedgerHolder", "Crypto", "SystemPackage",
        ],
        "LedgerServer": [
            "LedgerModel", "LedgerSystem", "LedgerCoding", "LedgerAPI", "LedgerLog", "LedgerTransfer", "LedgerEngine",
            "LedgerHolder", "LedgerViews", "LedgerAria2", "Crypto", "CoreMetrics", "DequeModule", "Hummingbird",
            "HummingbirdCore", "HummingbirdTLS", "HTTPTypes", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix",
            "NIOHTTPTypes", "NIOHTTPTypesHTTP1", "NIOSSL", "NIOWebSocket", "SystemPackage",
        ],
        "LedgerCommands": [
            "LedgerViews", "LedgerServer", "CSQLite", "LedgerModel", "LedgerSystem", "LedgerCoding", "LedgerAPI",
            "LedgerLog", "LedgerTransfer",
            "LedgerEngine", "LedgerHTTP", "LedgerMigrations", "LedgerHolder", "ArgumentParser", "Configuration",
            "Logging", "Crypto", "SystemPackage", "NIOCore", "NIOHTTP1", "NIOPosix",
        ],
        "ledger": ["LedgerCommands", "LedgerSystem", "_Concurrency"],
    ]
    private static let everywhere: Set<String> = [
        "Swift", "Synchronization", "FoundationEssentials", "_StringProcessing",
    ]
    private static let libc: Set<String> = ["Glibc", "Musl", "Darwin", "Android", "Foundation", "Dispatch"]

    static func findings(in file: SourceFile) -> [Finding] {
        guard let module = file.module, !file.isTest, !file.path.hasPrefix("tools/") else { return [] }
        return file.code.enumerated().compactMap { index, code in
            guard let imported = Self.module(importedBy: code), !everywhere.contains(imported),
                allowed[module]?.contains(imported) != true
            else { return nil }
            if libc.contains(imported) {
                if module == "LedgerSystem", imported != "Foundation" { return nil }
                return Finding(
                    file.path, index + 1, "libc",
                    "only LedgerSystem talks to the system: what '\(imported)' is needed for belongs there")
            }
            return Finding(
                file.path, index + 1, "layer",
                "\(module) may not import \(imported): every arrow points down, see the layers in Package.swift")
        }
    }

    /// The module that a line imports; nil when it is no import.
    private static func module(importedBy code: String) -> String? {
        let words = code.split(separator: " ")
        guard let index = words.firstIndex(of: "import"), index + 1 < words.count,
            words[..<index].allSatisfy({ $0.hasPrefix("@") || Declarations.modifiers.contains(String($0)) })
        else { return nil }
        let kinds: Set<Substring> = ["struct", "class", "enum", "func", "var", "let", "typealias", "protocol"]
        let name = kinds.contains(words[index + 1]) ? words.dropFirst(index + 2).first : words[index + 1]
        return name.map { String($0.prefix { $0 != "." }) }
    }
}
