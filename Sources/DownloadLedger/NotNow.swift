/// Why an app wants nothing downloaded now.
///
/// ```swift
/// configuration.policy = { [monitor] in
///     if !monitor.isOnline { return .offline }
///     return monitor.isExpensive ? .metered : nil
/// }
/// ```
public struct NotNow: Hashable, Sendable {
    /// In words, for people.
    public let reason: String

    /// A reason in words of the app's own, as ``Download/error`` then tells it.
    public init(_ reason: String) { self.reason = reason }

    /// There is no network.
    public static let offline = NotNow("there is no network")
    /// Bytes cost money.
    public static let metered = NotNow("the network is metered")
    /// The battery is low.
    public static let lowPower = NotNow("the device saves power")
}
