/// What is answered to a request.
package struct Aria2Answer: Sendable {
    /// HTTP's status.
    package var status: Int
    /// JSON, a script that hands it to a function, or XML.
    package var body: [UInt8]
    /// The media type.
    package var contentType: String

    /// An answer of parts.
    package init(status: Int, body: [UInt8], contentType: String = "application/json-rpc") {
        self.status = status
        self.body = body
        self.contentType = contentType
    }
}
