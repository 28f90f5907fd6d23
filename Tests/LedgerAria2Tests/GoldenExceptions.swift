/// What is answered otherwise than aria2 did, and why: as little as can be.
struct GoldenException: Sendable {
    let reason: String
    let instead: Instead

    /// What is expected instead.
    enum Instead: Sendable {
        /// aria2's answer with these texts in the place of others.
        case changes([(String, String)])
        case answer(status: Int, body: String)
        /// Nothing of the endpoint's: who else is asked.
        case elsewhere
    }

    init(_ reason: String, _ instead: Instead) { (self.reason, self.instead) = (reason, instead) }

    /// By the name of the exchange.
    static let all: [String: GoldenException] = [
        "0 aria2.getVersion": GoldenException(
            "what this program does not speak is no feature of it",
            .changes([
                (
                    #"["Async DNS","BitTorrent","Firefox3 Cookie","GZip","HTTPS","Message Digest","Metalink","#
                        + #""XML-RPC","SFTP"]"#, #"["GZip","HTTPS","Message Digest","Metalink","XML-RPC"]"#
                )
            ])),
        "5 aria2.getGlobalOption": GoldenException(
            "files of this machine are no client's business, and these are none of this program's",
            .changes([
                (#""ca-certificate":"\/etc\/ssl\/certs\/ca-certificates.crt","#, ""),
                (#""conf-path":"\/home\/user\/.config\/aria2\/aria2.conf","#, ""),
                (#""dht-file-path":"\/home\/user\/.cache\/aria2\/dht.dat","#, ""),
                (#""dht-file-path6":"\/home\/user\/.cache\/aria2\/dht6.dat","#, ""),
                (#""netrc-path":"\/home\/user\/.netrc","#, ""),
                (#""save-session":"\/downloads\/goldt9kli_w1\/s.txt","#, ""),
            ])),
        "30 aria2.tellStatus": GoldenException(usedTwice, .changes([(again("waiting"), "")])),
        "31 aria2.getUris": GoldenException(usedTwice, .changes([(again("waiting"), "")])),
        "32 aria2.getFiles": GoldenException(usedTwice, .changes([(again("waiting"), "")])),
        "63 aria2.changeOption": GoldenException(
            "the name of a file stands when it is ordered: to say OK and to keep it would be worse than to refuse",
            .answer(
                status: 400,
                body: #"{"id":"q","jsonrpc":"2.0","error":{"code":1,"message":"We encountered a problem while "#
                    + #"processing the option '--out'."}}"#)),
        "72 aria2.remove": GoldenException(
            beganAnew, .answer(status: 200, body: #"{"id":"q","jsonrpc":"2.0","result":"00000000000000aa"}"#)),
        "73 aria2.tellStatus": GoldenException(
            beganAnew + "; its name stayed; " + usedTwice,
            .changes([
                (#""completedLength":"16384""#, #""completedLength":"0""#), (gaveUp, removed),
                (#"\/x""#, #"\/big.bin""#), (again("used"), ""), (#""status":"error""#, #""status":"removed""#),
            ])),
        "76 aria2.getOption": GoldenException(
            "its name stayed, as the answer to its change said", .changes([(#""out":"x""#, #""out":"big.bin""#)])),
        "87 aria2.tellStopped": GoldenException(
            beganAnew + "; where our words say more, they are told",
            .changes([
                (
                    #"{"completedLength":"16384",\#(gaveUp),"gid":"00000000000000aa","status":"error""#,
                    #"{"completedLength":"0",\#(removed),"gid":"00000000000000aa","status":"removed""#
                ),
                (
                    "CUID#122 - Name resolution for no-such-host.invalid failed:Domain name not found",
                    "the name 'no-such-host.invalid' is not known"
                ),
                (
                    "Failed to establish connection, cause: Connection refused",
                    "'127.0.0.1' refused the connection"
                ),
                (
                    "Too many redirects: count=20",
                    #"the origin redirects in a circle at 'http:\/\/127.0.0.1:18779\/loop'"#
                ),
            ])),
        "104 GET /": GoldenException("the server's, not the endpoint's: there is the page", .elsewhere),
        "105 GET /rpc": GoldenException("the server's, not the endpoint's: there is nothing", .elsewhere),
        "107 SESSION FILE": GoldenException(
            "no file is written: what is answered is in the log, and 'ledger export' reads it", .elsewhere),
    ]

    private static let usedTwice =
        "aria2 lists a URL again for each further connection to it; here one source is one line"
    private static let beganAnew = """
        the origin ignores ranges: aria2 gave up on going on, so that there was nothing left to remove; here it is \
        begun anew, and removed while it runs
        """
    private static let gaveUp =
        #""errorCode":"8","errorMessage":"Invalid range header. Request: 16384-104857599\/104857600, "#
        + #"Response: 0-104857599\/104857600""#
    private static let removed = #""errorCode":"31","errorMessage":"""#

    /// The line of the large file's URL, when it is not the first.
    private static func again(_ status: String) -> String {
        #",{"status":"\#(status)","uri":"http:\/\/127.0.0.1:18779\/big"}"#
    }
}
