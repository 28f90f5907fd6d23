import HTTPTypes

extension HTTPFields {
    /// The value of a field, of several fields of that name put together; nil for none. What `self[name]` says, for a
    /// quarter of the work where there is one field at most, as there mostly is.
    func value(of name: HTTPField.Name) -> String? {
        let values = self[values: name]
        return values.count > 1 ? self[name] : values.first
    }
}
