/// The wall clock of every run.
private let now = Timestamp(milliseconds: 1_772_532_000_000)

/// A slice that is believed is ordered, lies in its entity, and reads the same when it is written again.
func checkContentRange(_ text: String) {
    let range: ContentRange
    do throws(ContentRangeProblem) { range = try ContentRange.parse(text) } catch {
        hold(ContentRange(reading: text) == nil, "both ways to read agree")
        return
    }
    hold(ContentRange(reading: text) == range, "both ways to read agree")
    let printed: String
    switch range {
    case .slice(let slice, let total):
        hold(slice.lowerBound < slice.upperBound, "a slice holds a byte")
        hold(total.map { slice.upperBound <= $0 } ?? true, "a slice lies in its entity")
        printed = "bytes \(slice.lowerBound)-\(slice.upperBound - 1)/" + (total.map { String($0) } ?? "*")
    case .unsatisfied(let total):
        printed = "bytes */\(total)"
    }
    hold(ContentRange(reading: printed) == range, "the printed form '\(printed)' reads the same")
}

/// Whatever name an origin sends, what is made of it is a name.
func checkContentDisposition(_ text: String) {
    guard let name = ContentDisposition.fileName(text) else { return }
    checkFileName(name)
    guard let safe = FileName.safe(name), !safe.contains("%") else { return }
    let quoted = safe.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    let again = ContentDisposition.fileName("attachment; filename=\"" + quoted + "\"")
    hold(again == safe, "a safe name comes through a field as it is: \(again ?? "none")")
}

/// A media type is two tokens in lower case, and reads the same again.
func checkContentType(_ text: String) {
    guard let type = ContentType.mediaType(text) else { return }
    hold(type.utf8.allSatisfy { $0 > 32 && $0 < 127 && !(65...90).contains($0) }, "tokens in lower case")
    hold(type.split(separator: "/", omittingEmptySubsequences: false).count == 2, "a type and a subtype")
    hold(ContentType.mediaType(type) == type, "a media type reads as itself")
    hold(ContentType.mediaType(type + "; charset=utf-8") == type, "parameters do not matter")
}

/// A tag goes into a request as it is: quotes at its ends, and nothing between that ends a field.
func checkEntityTag(_ text: String) {
    guard let tag = EntityTag(parsing: text) else { return }
    hold(tag.quoted.utf8.count >= 2 && tag.quoted.utf8.first == 34 && tag.quoted.utf8.last == 34, "quotes at its ends")
    hold(tag.quoted.utf8.dropFirst().dropLast().allSatisfy { $0 >= 32 && $0 != 34 && $0 != 127 }, "no control within")
    let again = EntityTag(parsing: tag.quoted)
    hold(again?.quoted == tag.quoted && again?.isWeak == false, "a tag without its mark is a strong one")
    hold(EntityTag(parsing: "W/" + tag.quoted)?.isWeak == true, "the mark makes it weak")
}

/// An instant that was read reads the same from the form that is preferred.
func checkHTTPDate(_ text: String) {
    guard let date = HTTPDate.parse(text, now: now) else { return }
    hold(date.milliseconds % 1000 == 0, "whole seconds")
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let parts = date.rfc3339.split { "-T:.".contains($0) }.map(String.init)
    guard let month = Int(parts[1]), Timestamp(rfc3339: date.rfc3339) == date else {
        return hold(false, "an instant of four digits of a year: \(date.milliseconds)")
    }
    let printed = "Sun, \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) GMT"
    hold(HTTPDate.parse(printed, now: now) == date, "the printed form '\(printed)' reads the same")
}

/// A wait is never longer than what is obeyed.
func checkRetryAfter(_ text: String) {
    guard let seconds = RetryAfter.parse(text, now: now, secondsMax: 600) else { return }
    hold(seconds <= 600, "a wait has its bound")
    let usual = RetryAfter.parse(text, now: now)
    hold(usual.map { min($0, 600) } == seconds, "the bound only cuts")
    hold(RetryAfter.parse(String(seconds), now: now) == seconds, "seconds read as themselves")
}
