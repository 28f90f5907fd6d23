/// What was read of a call reads the same when it is written plainly.
func checkXMLCall(_ bytes: [UInt8]) {
    let call: XMLCall
    do throws(XMLProblem) { call = try XMLCall(bytes) } catch {
        hold(error.line >= 1 && !error.reason.isEmpty, "a problem has its line and its words")
        return
    }
    let (start, end) = (#"<?xml version="1.0"?><methodResponse>"#, "</methodResponse>")
    for parameter in call.parameters {
        let response = XMLResponse(parameter, isOfCalls: false).bytes
        let written = response.dropFirst(start.utf8.count).dropLast(end.utf8.count)
        do throws(XMLProblem) {
            let again = try XMLCall(Array("<methodCall>".utf8) + written + Array("</methodCall>".utf8))
            hold(again.parameters == [parameter], "a value reads as itself: \(parameter)")
        } catch { hold(false, "what is written reads again: \(error.reason)") }
    }
}
