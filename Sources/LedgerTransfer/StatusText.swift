/// The usual words of the status codes that end a download.
package enum StatusText {
    /// The words of a code; empty when it has none here.
    package static func of(_ status: Int) -> String {
        switch status {
        case 202: "Accepted"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 402: "Payment Required"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 410: "Gone"
        case 412: "Precondition Failed"
        case 425: "Too Early"
        case 429: "Too Many Requests"
        case 451: "Unavailable For Legal Reasons"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        default: status < 200 ? "(not a final answer)" : status < 400 ? "(an unusual answer)" : "(an error)"
        }
    }
}
