// swift-tools-version: 6.2
//
// The architecture diagram of `ledger`. Every arrow points down: a target may depend only on targets of a lower layer.
//
//   8  ledger            @main
//   7  LedgerCommands    one command a file, rendering, the remote client
//   6  LedgerServer      REST, events, files, metrics, the page   DownloadLedgerURLSession  Foundation's URLSession
//   5  DownloadLedger    the public product: what apps see          LedgerAria2  aria2's RPC, without the wire
//                        LedgerViews   what commands and the API show alike
//   4  LedgerHolder      holds a ledger: composes the real parts, serves its socket
//   3  LedgerEngine      the imperative shell        LedgerHTTP  Transport over AsyncHTTPClient
//   2  LedgerLog         the write-ahead log         LedgerTransfer  how bytes arrive   LedgerMigrations  upcasters
//   1  LedgerSystem      the disk, clocks, threads   LedgerCoding  events <-> bytes     LedgerAPI  wire types
//                                                  LedgerFeeds   what feeds say
//   0  CLedgerAllocator, CLedgerSystem, CSQLite, CZlib  what C has              LedgerModel   the pure domain
//
// Layers 0 to 2 stand on the Swift project's own foundations alone (collections, system, crypto, http-types).
import Foundation
import PackageDescription

// What the targets use of other packages.
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let dequeModule = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let heapModule = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHPACK = Target.Dependency.product(name: "NIOHPACK", package: "swift-nio-http2")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1 = Target.Dependency.product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioWebSocket = Target.Dependency.product(name: "NIOWebSocket", package: "swift-nio")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

// Where views can not outlive the bytes they are of: what swift-collections and swift-system are built with, too.
let views: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes")]

// Memory from jemalloc where it is installed (`apt-get install libjemalloc-dev`), else from the C library: who folds a
// log makes many small pieces on one thread that another frees. LEDGER_ALLOCATOR=system leaves it out: for another
// machine, for a sanitizer. (What was found here is kept with this file: see 'swift package purge-cache'.)
#if arch(arm64)
    let jemalloc = "/usr/lib/aarch64-linux-gnu/libjemalloc.so"
#else
    let jemalloc = "/usr/lib/x86_64-linux-gnu/libjemalloc.so"
#endif
let allocator: [LinkerSetting] =
    Context.environment["LEDGER_ALLOCATOR"] != "system" && FileManager.default.fileExists(atPath: jemalloc)
    ? [.linkedLibrary("jemalloc", .when(platforms: [.linux], configuration: .release))] : []

// Swift's libraries in the program itself, of which only what is used comes along: it starts sooner, takes less memory,
// and runs where no Swift is. The libraries behind Foundation are named because only its own modules know them.
let wholeProgram: [LinkerSetting] =
    allocator + [
        .unsafeFlags(
            ["-static-stdlib"]
                + ["CoreFoundation", "_FoundationCShims", "_FoundationCollections", "_FoundationICU"].map { "-l\($0)" },
            .when(platforms: [.linux], configuration: .release))
    ]

let package = Package(
    name: "ledger",
    platforms: [.macOS(.v26), .iOS(.v26), .tvOS(.v26), .watchOS(.v26), .visionOS(.v26)],
    products: [
        .library(name: "DownloadLedger", targets: ["DownloadLedger"]),
        .library(name: "DownloadLedgerTesting", targets: ["DownloadLedgerTesting"]),
        .library(name: "DownloadLedgerURLSession", targets: ["DownloadLedgerURLSession"]),
        .executable(name: "ledger", targets: ["ledger"]),
    ],
    dependencies: [
        // Deques and heaps.
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        // FilePath and Errno: paths that are not strings, errors that are not integers.
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        // SHA-256 (and the older sums that publishers still print).
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        // Field names and values of HTTP as values.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        // The HTTP engine behind `Transport`.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        // The event loops, TLS and buffers that engine brings; named because LedgerHTTP tunes them.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        // HTTP/2 for the origin of the tests; async-http-client brings it along.
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        // The command line.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // HTTP for those who ask `ledger run`: routes, bodies, upgrades.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        // HTTP parts as values of swift-http-types, for the watch over the server's connections.
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        // What `/metrics` counts.
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        // Hooks are programs that are started.
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
        // What goes wrong beside what an app asked for is told to the app's own log.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        // config.yaml and LEDGER_* under the flags.
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: ["YAML"]),
    ],
    targets: [
        // MARK: Layer 0: the pure domain, and what Swift can not say

        .target(name: "CLedgerSystem"),
        // The system's zlib, for `--decompress` and for what compaction archives.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        // The system's SQLite, for `export --format sqlite`.
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .target(
            name: "LedgerModel",
            dependencies: [dequeModule]),

        // MARK: Layer 1: the world, the coding and the wire

        .target(
            name: "LedgerSystem",
            dependencies: ["CLedgerSystem", "LedgerModel", heapModule, systemPackage]),
        .target(name: "LedgerCoding", dependencies: ["LedgerModel"], swiftSettings: views),
        .target(name: "LedgerAPI", dependencies: ["LedgerModel"]),
        // What feeds and catalogs say.
        .target(name: "LedgerFeeds", dependencies: ["LedgerCoding", "LedgerModel"]),

        // MARK: Layer 2: the log, the transfer, the migrations

        .target(
            name: "LedgerLog",
            dependencies: ["CZlib", "LedgerModel", "LedgerSystem", crypto, systemPackage], swiftSettings: views),
        .target(
            name: "LedgerTransfer",
            dependencies: ["LedgerModel", "LedgerSystem", crypto, httpTypes, systemPackage]),
        .target(
            name: "LedgerMigrations", dependencies: ["LedgerCoding", "LedgerModel"], path: "migrations",
            exclude: [
                "README.md", "golden", "0001-first-format", "0002-many-sources", "0003-part-sums",
                "0004-plain-sha-256/schema.md", "0005-library",
            ]),

        // MARK: Layer 3: the engine and the HTTP transport

        .target(
            name: "LedgerHTTP",
            dependencies: [
                "CZlib", "LedgerModel", "LedgerTransfer", asyncHTTPClient, httpTypes, nioCore, nioPosix, nioHTTP1,
                nioHPACK, nioHTTP2, nioSSL, nioTLS, systemPackage,
            ]),
        .target(
            name: "LedgerEngine",
            dependencies: [
                "LedgerModel", "LedgerSystem", "LedgerCoding", "LedgerAPI", "LedgerLog", "LedgerTransfer",
                "LedgerMigrations", dequeModule, coreMetrics, crypto, systemPackage,
            ]),

        // MARK: Layer 4: the ledger in this process

        .target(
            name: "LedgerHolder",
            dependencies: [
                "LedgerModel", "LedgerSystem", "LedgerCoding", "LedgerAPI", "LedgerFeeds", "LedgerTransfer",
                "LedgerEngine", "LedgerHTTP",
                dequeModule,
                crypto,
                .product(
                    name: "Subprocess", package: "swift-subprocess", condition: .when(platforms: [.linux, .macOS])),
                systemPackage,
            ]),

        // MARK: Layer 5: the library that apps embed

        .target(
            name: "DownloadLedger",
            dependencies: [
                "LedgerModel", "LedgerSystem", "LedgerCoding", "LedgerAPI", "LedgerTransfer", "LedgerEngine",
                "LedgerHolder", crypto, logging, systemPackage,
            ]),

        // The same over Foundation's URLSession, for apps that want the system's proxies and policies.
        .target(
            name: "DownloadLedgerURLSession",
            dependencies: ["DownloadLedger", "LedgerModel", "LedgerTransfer", httpTypes]),

        // What an app's own tests need: a clock, a disk and a network that do as they are told.
        .target(
            name: "DownloadLedgerTesting",
            dependencies: [
                "DownloadLedger", "LedgerModel", "LedgerSystem", "LedgerTransfer", "LedgerEngine",
                "LedgerTestSupport", httpTypes, systemPackage,
            ]),

        // MARK: Layers 5 and 6: what commands and clients of the API share, and the server

        .target(
            name: "LedgerViews",
            dependencies: [
                "LedgerModel", "LedgerSystem", "LedgerCoding", "LedgerAPI", "LedgerLog", "LedgerEngine",
                "LedgerHolder", systemPackage,
            ]),
        .target(
            name: "LedgerAria2",
            dependencies: [
                "LedgerModel", "LedgerSystem", "LedgerCoding", "LedgerAPI", "LedgerTransfer", "LedgerEngine",
                "LedgerHolder", crypto, systemPackage,
            ]),
        .target(
            name: "LedgerServer",
            dependencies: [
                "LedgerModel", "LedgerSystem", "LedgerCoding", "LedgerAPI", "LedgerLog", "LedgerTransfer",
                "LedgerEngine", "LedgerHolder", "LedgerViews", "LedgerAria2", crypto, coreMetrics, dequeModule,
                hummingbird, hummingbirdCore, hummingbirdTLS, httpTypes, logging, nioCore, nioHTTP1,
                nioHTTPTypes, nioHTTPTypesHTTP1, nioPosix, nioSSL, nioWebSocket, systemPackage,
            ],
            // In the binary: the page needs nothing beside it.
            resources: [.embedInCode("Page"), .embedInCode("openapi.json")]),

        // MARK: Layers 7 and 8: the program

        .target(
            name: "LedgerCommands",
            dependencies: [
                "CSQLite", "LedgerModel", "LedgerSystem", "LedgerCoding", "LedgerAPI", "LedgerLog", "LedgerTransfer",
                "LedgerEngine", "LedgerHTTP", "LedgerHolder", "LedgerViews", "LedgerServer", argumentParser, logging,
                configuration, crypto, nioCore, nioHTTP1, nioPosix, systemPackage,
            ]),
        .target(name: "CLedgerAllocator"),
        .executableTarget(
            name: "ledger", dependencies: ["CLedgerAllocator", "LedgerCommands", "LedgerSystem"],
            linkerSettings: wholeProgram),

        // MARK: Tools: they ship in the repository, not in the program

        .executableTarget(name: "ledger-tidy", path: "tools/ledger-tidy"),
        .executableTarget(
            name: "fixture-server", dependencies: ["LedgerTestSupport", "LedgerSystem"], path: "tools/fixture-server"),
        // An app that embeds the library, for the smoke test.
        .executableTarget(
            name: "embedded-app", dependencies: ["DownloadLedger"], path: "tools/embedded-app"),
        .executableTarget(
            name: "ledger-bench",
            dependencies: [
                "CLedgerAllocator", "LedgerModel", "LedgerSystem", "LedgerCoding", "LedgerAPI", "LedgerLog",
                "LedgerTransfer", "LedgerEngine", "LedgerTestSupport", argumentParser, systemPackage,
            ],
            path: "tools/ledger-bench", linkerSettings: allocator),

        // MARK: Tests: one target for each source target, and what they share

        .target(name: "CTestWidth", path: "Tests/CTestWidth"),
        .target(
            name: "LedgerTestSupport",
            dependencies: [
                "CTestWidth", "LedgerModel", "LedgerSystem", "LedgerTransfer", httpTypes, logging, nioCore, nioHTTP1,
                nioHTTP2, nioPosix, nioSSL, nioTLS, systemPackage,
            ],
            path: "Tests/LedgerTestSupport"),
        // An app that embeds the library, and an origin for it.
        .target(
            name: "AppTestSupport",
            dependencies: [
                "DownloadLedger", "LedgerModel", "LedgerSystem", "LedgerEngine", "LedgerTestSupport", systemPackage,
            ],
            path: "Tests/AppTestSupport"),
        .testTarget(name: "LedgerTidyTests", dependencies: ["ledger-tidy"]),
        .testTarget(
            name: "LedgerBenchTests",
            dependencies: [
                "ledger-bench", "LedgerModel", "LedgerAPI", "LedgerSystem", "LedgerEngine", "LedgerLog",
                "LedgerTestSupport", argumentParser, systemPackage,
            ]),
        .testTarget(name: "LedgerModelTests", dependencies: ["LedgerCoding", "LedgerModel", "LedgerTestSupport"]),
        .testTarget(
            name: "LedgerSystemTests",
            dependencies: ["CLedgerSystem", "LedgerSystem", "LedgerModel", "LedgerTestSupport", systemPackage]),
        .testTarget(
            name: "LedgerCodingTests",
            dependencies: ["LedgerCoding", "LedgerModel", "LedgerMigrations", "LedgerTestSupport"]),
        .testTarget(name: "LedgerFeedsTests", dependencies: ["LedgerFeeds", "LedgerModel", "LedgerTestSupport"]),
        .testTarget(
            name: "LedgerLogTests",
            dependencies: [
                "LedgerLog", "LedgerModel", "LedgerSystem", "LedgerTestSupport", crypto, systemPackage,
            ]),
        .testTarget(
            name: "LedgerTransferTests",
            dependencies: [
                "LedgerTransfer", "LedgerModel", "LedgerSystem", "LedgerTestSupport", httpTypes, systemPackage,
            ]),
        .testTarget(
            name: "LedgerHTTPTests",
            dependencies: [
                "LedgerHTTP", "LedgerTransfer", "LedgerModel", "LedgerSystem", "LedgerTestSupport",
                "DownloadLedgerURLSession", httpTypes, nioCore, nioEmbedded, nioHPACK, nioHTTP1, nioHTTP2, nioSSL,
                systemPackage,
            ]),
        .testTarget(
            name: "LedgerEngineTests",
            dependencies: [
                "LedgerEngine", "LedgerModel", "LedgerSystem", "LedgerCoding", "LedgerLog", "LedgerTransfer",
                "LedgerHTTP", "LedgerAPI", "LedgerTestSupport", crypto, httpTypes, systemPackage,
            ]),
        .testTarget(
            name: "LedgerProofTests",
            dependencies: [
                "LedgerEngine", "LedgerModel", "LedgerSystem", "LedgerLog", "LedgerTransfer", "LedgerAPI",
                "LedgerTestSupport", systemPackage,
            ]),
        .testTarget(
            name: "LedgerHolderTests",
            dependencies: [
                "LedgerHolder", "LedgerEngine", "LedgerModel", "LedgerSystem", "LedgerLog", "LedgerAPI",
                "LedgerTestSupport", systemPackage,
            ]),
        .testTarget(
            name: "DownloadLedgerTests",
            dependencies: [
                "DownloadLedger", "DownloadLedgerTesting", "DownloadLedgerURLSession", "LedgerAPI", "LedgerEngine",
                "LedgerModel", "LedgerSystem", "LedgerTestSupport", "AppTestSupport", crypto, logging, systemPackage,
            ]),
        .testTarget(
            name: "LedgerAria2Tests",
            dependencies: [
                "LedgerAria2", "LedgerHolder", "LedgerEngine", "LedgerModel", "LedgerSystem", "LedgerCoding",
                "LedgerAPI", "LedgerTransfer", "LedgerTestSupport", systemPackage,
            ],
            exclude: ["aria2-golden.json"]),
        .testTarget(
            name: "LedgerServerTests",
            dependencies: [
                "LedgerServer", "LedgerViews", "LedgerAria2", "LedgerHolder", "LedgerEngine", "LedgerModel",
                "LedgerSystem", "LedgerCoding", "LedgerAPI", "LedgerTransfer", "LedgerTestSupport", asyncHTTPClient,
                coreMetrics, httpTypes, hummingbird, logging, nioCore, nioHTTP1, nioPosix, nioSSL, nioWebSocket,
                systemPackage,
            ]),
        // The five systems this project grew from, each with what its README promises.
        .testTarget(
            name: "SystemTests",
            dependencies: ["DownloadLedger", "LedgerTestSupport", "AppTestSupport", logging],
            exclude: ["Promises.md"]),
        .testTarget(
            name: "LedgerCommandsTests",
            dependencies: [
                "LedgerCommands", "LedgerModel", "LedgerAPI", "LedgerCoding", "LedgerLog", "LedgerEngine",
                "LedgerSystem", "LedgerViews", "LedgerServer", "LedgerTestSupport", argumentParser, logging, nioCore,
                nioPosix, systemPackage,
            ],
            exclude: ["Snapshots"]),
    ]
)

// MARK: One set of rules for every target

/// Layers 0 to 2 also say where they touch memory that the compiler does not check.
let strict: Set<String> = [
    "LedgerModel", "LedgerSystem", "LedgerCoding", "LedgerFeeds", "LedgerLog", "LedgerTransfer",
]

let cTargets: Set<String> = ["CLedgerAllocator", "CLedgerSystem", "CSQLite", "CTestWidth", "CZlib"]

for target in package.targets where !cTargets.contains(target.name) {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .swiftLanguageMode(.v6),
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .enableUpcomingFeature("InferIsolatedConformances"),
            .treatAllWarnings(as: .error),
        ] + (strict.contains(target.name) ? [.strictMemorySafety()] : [])
}

// MARK: The proof of durability

// `tools/check --proof` builds the layers under proof and their tests alone, with bugs that can be switched on: no
// other build carries any.
if Context.environment["LEDGER_PROOF_BUILD"] != nil {
    let proofs: Set<String> = ["LedgerProofTests", "LedgerLogTests"]
    let above: Set<String> = [
        "ledger", "ledger-tidy", "ledger-bench", "embedded-app", "fixture-server", "LedgerCommands", "DownloadLedger",
        "DownloadLedgerTesting", "DownloadLedgerURLSession", "LedgerHolder", "LedgerHTTP", "CSQLite", "AppTestSupport",
        "LedgerViews", "LedgerAria2", "LedgerServer",
    ]
    package.targets.removeAll { $0.type == .test && !proofs.contains($0.name) || above.contains($0.name) }
    package.products = []
    for target in package.targets where target.swiftSettings != nil {
        target.swiftSettings?.append(.define("PLANTED_BUGS"))
    }
}
