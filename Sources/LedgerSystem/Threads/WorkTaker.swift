/// Takes work that is to run soon and elsewhere, in place of a thread: a simulation, which decides what comes next.
package typealias WorkTaker = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
