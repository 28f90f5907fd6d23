import HTTPTypes
import Hummingbird
import LedgerCoding
import NIOCore

extension Response {
    /// An answer in JSON.
    static func json(
        _ value: JSONValue, _ status: HTTPResponse.Status = .ok, fields: HTTPFields = [:],
        type: String = "application/json"
    ) -> Response {
        text(value.description + "\n", status, type: type, fields: fields)
    }

    /// An answer in some text, never kept by caches: it is out of date soon.
    static func text(
        _ text: String, _ status: HTTPResponse.Status = .ok, type: String = "text/plain; charset=utf-8",
        fields: HTTPFields = [:]
    ) -> Response {
        bytes(Array(text.utf8), status, type: type, fields: fields)
    }

    /// An answer of bytes.
    static func bytes(
        _ bytes: [UInt8], _ status: HTTPResponse.Status = .ok, type: String, fields: HTTPFields = [:]
    ) -> Response {
        var all: HTTPFields = [.contentType: type, .cacheControl: "no-store", .xContentTypeOptions: "nosniff"]
        for field in fields { all[field.name] = field.value }
        return Response(status: status, headers: all, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// A refusal, in problem details.
    init(_ refusal: Refusal) {
        self = .json(refusal.body, refusal.status, fields: refusal.fields, type: "application/problem+json")
    }
}
