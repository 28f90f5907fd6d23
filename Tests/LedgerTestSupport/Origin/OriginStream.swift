import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOTLS

/// One request over HTTP/2: what a connection of ``OriginServer`` is made of where that was negotiated.
///
/// It serves the files of ``OriginServer/serve(_:_:)`` in good order, and nothing else; but
/// nothing below `/lost` on the first connection, which is as one whose other end is gone.
final class OriginStream: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let server: OriginServer
    private let connection: Int

    init(_ server: OriginServer, connection: Int) {
        self.server = server
        self.connection = connection
    }

    /// Puts the handlers of what TLS negotiated into a connection.
    static func negotiate(_ server: OriginServer) -> ApplicationProtocolNegotiationHandler {
        ApplicationProtocolNegotiationHandler { result, channel in
            guard result == .negotiated("h2") else {
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(OriginConnection(server))
                }
            }
            server.accepted()
            let connection = server.connectionCount
            return channel.configureHTTP2Pipeline(mode: .server) { stream in
                stream.eventLoop.makeCompletedFuture {
                    try stream.pipeline.syncOperations.addHandlers([
                        HTTP2FramePayloadToHTTP1ServerCodec(), OriginStream(server, connection: connection),
                    ])
                }
            }.map { _ in () }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        var fields = head.headers.map { OriginRequest.Field(name: $0.name.lowercased(), value: $0.value) }
        fields.append(OriginRequest.Field(name: ":version", value: "2"))
        let request = OriginRequest(method: head.method.rawValue, target: head.uri, fields: fields)
        let (status, answer, body) = server.response(to: request)
        if connection == 1, request.path.hasPrefix("/lost/") { return }
        let headers = HTTPHeaders(answer.map { ($0.0.lowercased(), $0.1) })
        let response = HTTPResponseHead(version: .http2, status: .init(statusCode: status), headers: headers)
        context.write(wrapOutboundOut(.head(response)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
