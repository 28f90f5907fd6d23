import LedgerModel

/// Dates as fields carry them (RFC 9110, section 5.6.7).
enum DateText {
    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func make(_ time: Timestamp) -> String {
        // `1994-11-06T08:49:37.000Z`
        let parts = time.rfc3339.split { "-T:.Z".contains($0) }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let day = days[Int(time.milliseconds / 86_400_000 % 7)]
        let month = months[(Int(parts[1]) ?? 1) - 1]
        return "\(day), \(parts[2]) \(month) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) GMT"
    }
}
