import LedgerAPI
import LedgerModel
import LedgerTestSupport
import LedgerViews
import Testing

@testable import LedgerCommands

/// The exact texts of errors: what, why, what next.
struct ProblemTests {
    private func text(_ problem: Problem) -> String {
        ErrorRendering.lines(for: problem).joined(separator: "\n") + "\nexit \(problem.exitCode.rawValue)"
    }

    static let urls: [Row<String>] = [
        Row("", "bad-url: the URL is empty\n  next:  for example https://example.org/file.iso\nexit 64"),
        Row(
            "example.org/x",
            "bad-url: 'example.org/x' does not start with http:// or https://\n"
                + "  next:  for example https://example.org/file.iso; '-i FILE' reads a list of URLs, "
                + "'--metalink FILE' a Metalink\nexit 64"),
        Row(
            "ftp://a/b",
            "bad-url: 'ftp://a/b' can not be fetched: 'ftp' is not spoken here\n"
                + "  next:  look for the same file under http:// or https://\nexit 64"),
        Row(
            "ftp://a/b;token=secret/c",
            "bad-url: 'ftp://a/b;token=REDACTED/c' can not be fetched: 'ftp' is not spoken here\n"
                + "  next:  look for the same file under http:// or https://\nexit 64"),
        Row(
            "http://ada:secret@/x?token=1",
            "bad-url: 'http://…@/x?…' names no host\n  next:  for example https://example.org/file.iso\nexit 64"),
        Row(
            "http://-a/x",
            "bad-url: 'http://-a/x' names a host that can not be: '-a'\n"
                + "  next:  for example https://example.org/file.iso\nexit 64"),
        Row(
            "http://a:99999/",
            "bad-url: 'http://a:99999/' names a port that can not be: '99999'\n"
                + "  cause: ports are 1 to 65535\n  next:  for example https://example.org/file.iso\nexit 64"),
        Row(
            "http://ada:pa/ss@h/x",
            "bad-url: 'http://…@h/x' names a port that can not be\n  cause: ports are 1 to 65535\n"
                + "  next:  for example https://example.org/file.iso\nexit 64"),
        Row(
            "http://ada:pa?ss@h/x",
            "bad-url: 'http://…' names a port that can not be\n  cause: ports are 1 to 65535\n"
                + "  next:  for example https://example.org/file.iso\nexit 64"),
        Row(
            "http://münchen.de/",
            "bad-url: 'http://münchen.de/' names a host that can not be: 'münchen.de'\n"
                + "  cause: a host is written in ASCII here\n"
                + "  next:  write it as DNS does, for example xn--mnchen-3ya.de for münchen.de\nexit 64"),
        Row(
            "http://a/\u{1}",
            "bad-url: the URL holds a control character\n  next:  look for a line break or a tab inside it\nexit 64"),
        Row(
            "http://a/" + String(repeating: "x", count: 9000),
            "bad-url: the URL is too long: 9009 bytes, and 8192 are the most\nexit 64"),
    ]

    @Test(arguments: urls) func `a text that is no URL is told why, without its secrets`(row: Row<String>) {
        do throws(URLProblem) {
            _ = try ResourceURL.parse(row.text)
            Issue.record("parsed", sourceLocation: row.location)
        } catch {
            #expect(text(Problem(row.text, error)) == row.expected, sourceLocation: row.location)
        }
    }

    static let rejections: [(Rejection, String)] = [
        (.notFound(DownloadID(7)), "not-found: there is no download 7\n  next:  'ledger list' shows what there is"),
        (
            .alreadyCompleted(DownloadID(7)),
            "refused: download 7 is completed already\n  next:  'ledger show 7' says where its file is"
        ),
        (
            .alreadyMissing(DownloadID(7)),
            "refused: the file of download 7 is gone\n  next:  'ledger retry 7' fetches it again"
        ),
        (
            .alreadyAltered(DownloadID(7)),
            "refused: the file of download 7 was changed\n  next:  'ledger retry 7' fetches it again"
        ),
        (
            .alreadyCancelled(DownloadID(7)),
            "refused: download 7 is cancelled already\n  next:  'ledger retry 7' fetches it after all"
        ),
        (
            .alreadyDeleted(DownloadID(7)),
            "refused: download 7 is deleted already\n  next:  'ledger undo --list' shows what can be brought back"
        ),
        (
            .alreadyPaused(DownloadID(7)),
            "refused: download 7 is paused already\n  next:  'ledger resume 7' lets it go on"
        ),
        (
            .alreadyFailed(DownloadID(7)),
            "refused: download 7 has failed already\n  next:  'ledger retry 7' tries it again"
        ),
        (.notPaused(DownloadID(7)), "refused: download 7 is not paused\n  next:  'ledger show 7' shows its state"),
        (
            .notRetryable(DownloadID(7)),
            "refused: download 7 has nothing to be tried again\n"
                + "  cause: only what failed, was cancelled or was lost can be\n"
                + "  next:  'ledger show 7' shows its state"
        ),
        (
            .publishing(DownloadID(7)),
            "refused: download 7 is just getting its final name\n  next:  try again in a moment"
        ),
        (
            .stale(Lease(DownloadID(7), epoch: 2)),
            "stale: the work on download 7 was taken over or stopped (lease 7@2)"
        ),
        (
            .outOfOrder(Lease(DownloadID(7), epoch: 2)),
            "internal: a report on download 7 does not fit its state (lease 7@2)"
        ),
        (
            .notCompleted(DownloadID(7)),
            "refused: download 7 is not completed\n  next:  'ledger show 7' shows its state"
        ),
        (.nothingToUndo, "refused: there is nothing to undo\n  next:  'ledger replay' shows what happened"),
        (
            .notUndoable(SequenceNumber(9)),
            "refused: event 9 can not be undone\n"
                + "  cause: deletions, cancellations, pauses, resumes, moves and changes can be, while their download"
                + " stands as they left it\n  next:  'ledger undo --list' shows what can be undone"
        ),
        (
            .nothingToUndoOf(DownloadID(7)),
            "refused: nothing that was done to download 7 can be undone now\n"
                + "  cause: deletions, cancellations, pauses, resumes, moves and changes can be, while their download"
                + " stands as they left it\n  next:  'ledger explain 7' tells what was done to it"
        ),
        (
            .expired(SequenceNumber(9), DownloadID(7)),
            "refused: event 9 can not be undone: the file of download 7 left the trash\n"
                + "  cause: it was there for too long, or the trash held too much ('trashDaysMax', 'trashSizeMax')\n"
                + "  next:  fetch it again: 'ledger show 7' shows its URL"
        ),
        (
            .noEvent(SequenceNumber(9), last: SequenceNumber(8)),
            "not-found: there is no event 9, and no download 9\n  cause: the last event is 8\n"
                + "  next:  'ledger undo' undoes what was done last"
        ),
        (
            .destinationTaken(path: "/d/x", by: DownloadID(7)),
            "destination-taken: '/d/x' is being written by download 7\n"
                + "  cause: a file has one writer at a time\n"
                + "  next:  wait for it ('ledger show 7'), give another name with '-o', or use '--again' for a "
                + "numbered name"
        ),
        (
            .orderTooLarge(bytes: 9, max: 8),
            "refused: what was asked for one download is too long: 9 bytes, and 8 are the most\n"
                + "  next:  shorten its title, details, tags or mirrors"
        ),
        (
            .queueFull(max: 5),
            "queue-full: the queue is full: it may hold 5 downloads\n"
                + "  cause: nothing in it that does not run has a lower priority, or it evicts nothing\n"
                + "  next:  'ledger run' works it off; 'ledger cancel' makes room"
        ),
    ]

    @Test(arguments: rejections) func `a refusal is told with its reason and the next step`(
        rejection: Rejection, expected: String
    ) {
        #expect(text(Problem(rejection)) == expected + "\nexit 1")
    }

    @Test(arguments: ["ca.pem", "", "/ca\0.pem"])
    func `a certificate file that could not be read back from the log is refused`(_ file: String) {
        var request = EnqueueRequest(url: "http://a/b", directory: "/d", command: CommandID(high: 0, low: 1))
        request.certificateAuthorityFile = file
        let problem = #expect(throws: RequestProblem.self) { _ = try request.order() }
        #expect(
            problem.map { text(Problem($0)) }
                == "usage: the file '\(file.replacing("\0", with: "\u{FFFD}"))' is not an absolute path\n"
                + "  next:  give it from the root on, for example /etc/ssl/certs/ca-certificates.crt\nexit 64")
    }

    @Test func `a request that can not be is told why`() {
        func problem(_ change: (inout EnqueueRequest) -> Void) -> String {
            var request = EnqueueRequest(url: "http://a/b", directory: "/d", command: CommandID(high: 0, low: 1))
            change(&request)
            do throws(RequestProblem) {
                _ = try request.order()
                return "parsed"
            } catch { return text(Problem(error)) }
        }
        #expect(problem { _ in } == "parsed")
        #expect(
            problem { $0.checksum = "sha-256=12" }
                == "usage: 'sha-256=12' is not a checksum\n"
                + "  cause: a checksum is ALGORITHM=HEX, all its digits, with md5, sha-1, sha-256 or sha-512\n"
                + "  next:  for example --checksum sha-256=$(sha256sum < FILE | cut -d' ' -f1)\nexit 64")
        #expect(
            problem { $0.headers = [.init(name: "X Key", value: "secret")] }
                == "usage: 'X Key' is not the start of a header\n"
                + "  cause: a header is NAME: VALUE, without line breaks\n"
                + "  next:  for example -H 'Accept: text/plain'\nexit 64")
        #expect(
            problem { $0.credentials = ":x" }
                == "usage: the credentials have no name before their colon, or hold a line break\n"
                + "  next:  for example --user 'ada:secret', or http://ada:secret@host/ with '/', '?', '#' and '@' as "
                + "%XX\nexit 64")
        #expect(
            problem { $0.name = "a/b" }
                == "bad-destination: 'a/b' is not a file name\n"
                + "  cause: a name is one component, without '/' and other than '.' and '..'\n"
                + "  next:  put the directory into -d and the name into -o\nexit 64")
        #expect(
            problem { $0.directory = "d" }
                == "bad-destination: the directory 'd' is not absolute\n"
                + "  next:  give it from the root on, for example /home/ada/Downloads\nexit 64")
        #expect(
            problem { $0.name = String(repeating: "n", count: 256) }
                == "bad-destination: the file name is too long: 256 bytes, and 255 are the most\n"
                + "  next:  give a shorter one with -o\nexit 64")
        #expect(
            problem { $0.proxy = "ftp://ada:secret@p:1" }
                == "usage: 'ftp://…@p:1' is not a proxy\n"
                + "  cause: a proxy is [http, https, socks5 or socks5h]://[NAME:PASSWORD@]HOST[:PORT]\n"
                + "  next:  for example --proxy http://127.0.0.1:3128\nexit 64"
        )
    }
}
