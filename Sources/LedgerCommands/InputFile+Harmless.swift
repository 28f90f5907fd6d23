extension InputFile.Option {
    /// Whether the option can be left out in silence: the same bytes arrive under the same name without it. Session
    /// files are full of such options.
    var isHarmless: Bool {
        if Self.steering.contains(name) || Self.foreign.contains(where: { name.hasPrefix($0) }) { return true }
        // These change the outcome, but not with the value that they have anyway.
        return Self.defaults[name] == value
    }

    /// They steer how aria2 goes about it.
    private static let steering: Set<String> = [
        "continue", "always-resume", "min-split-size", "piece-length",
        "file-allocation", "no-file-allocation-limit", "use-head", "stream-piece-selector", "uri-selector",
        "max-resume-failure-tries", "enable-http-keep-alive", "enable-http-pipelining", "http-auth-challenge",
        "no-netrc", "reuse-uri", "save-not-found", "force-save", "connect-timeout", "realtime-chunk-checksum",
        "pause-metadata", "rpc-save-upload-metadata", "allow-piece-length-change", "remove-control-file",
        "proxy-method", "content-disposition-default-utf8", "check-integrity", "enable-mmap", "max-mmap-limit",
        "async-dns", "async-dns-server", "enable-async-dns6", "disable-ipv6", "retry-wait", "max-file-not-found",
        "follow-torrent", "follow-metalink", "max-upload-limit", "select-file", "index-out", "disk-cache",
    ]

    /// They are about protocols and documents that an item with a URL of http or https has nothing to do with.
    private static let foreign = ["bt-", "dht-", "enable-dht", "seed-", "peer-", "ftp-", "ssh-", "metalink-"]

    /// They are not had here, and this is what they do anyway.
    private static let defaults = [
        "dry-run": "false", "hash-check-only": "false", "parameterized-uri": "false", "lowest-speed-limit": "0",
        "enable-peer-exchange": "true",
    ]
}
