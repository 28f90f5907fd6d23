/// The workloads in which the power is cut everywhere.
enum Scripts {
    static let all: [[Step]] = [
        // One file of each kind, from its order to its name.
        [.enqueue([4]), .untilIdle],
        [.enqueue([0]), .untilIdle],
        [.enqueue([7]), .untilIdle],
        [.enqueue([3]), .untilIdle],
        // Several beside each other: batches, and files published in groups.
        [.enqueue([0, 1, 2, 3, 4]), .untilIdle],
        [.enqueue([1, 5]), .wait(300), .enqueue([2, 6]), .wait(300), .enqueue([3]), .untilIdle],
        // What a user does while they run.
        [.enqueue([7, 5]), .wait(1500), .pause(0), .wait(1500), .resume(0), .untilIdle],
        [.enqueue([8]), .wait(2500), .cancel(0), .wait(500), .retry(0), .untilIdle],
        [.enqueue([5, 4, 2]), .first(2), .wait(500), .first(1), .untilIdle],
        [.enqueue([8, 1]), .wait(1200), .trash(0), .wait(500), .undo, .untilIdle],
        // Deleted files, and back.
        [.enqueue([4]), .untilIdle, .trash(0), .wait(200), .undo, .wait(200)],
        [.enqueue([2, 4]), .untilIdle, .purge(0), .trash(1), .wait(200)],
        [.enqueue([1]), .untilIdle, .trash(0), .enqueue([1]), .untilIdle, .undo, .wait(200)],
        // Starts after a stop.
        [.enqueue([7]), .wait(1500), .restart, .wait(1500), .restart, .untilIdle],
        [.restart, .enqueue([1]), .restart, .restart, .untilIdle],
        // Maintenance, alone and beside downloads.
        [.enqueue([1, 2]), .untilIdle, .compact(drops: false), .enqueue([4]), .untilIdle],
        [.enqueue([1, 2]), .untilIdle, .compact(drops: true), .enqueue([4]), .untilIdle],
        [.enqueue([8, 5]), .wait(1200), .compact(drops: false), .wait(600), .compact(drops: true), .untilIdle],
        [.enqueue([2]), .untilIdle, .compact(drops: false), .restart, .compact(drops: false), .trash(0), .wait(100)],
        // The same file again, under a name beside the first.
        [.enqueue([5]), .untilIdle, .trash(0), .enqueue([5, 6]), .wait(700), .restart, .untilIdle, .undo, .wait(100)],
        // What fills the catalog and keeps it: a feed, evictions, a hook that is told.
        [.list([1, 2, 4]), .take(2), .take(4), .untilIdle, .list([4, 5]), .take(5), .tell, .untilIdle, .tell],
        [.enqueue([2, 5]), .untilIdle, .keep(1), .pin(0), .use(1), .evict(1), .evict(0), .wait(200), .restart],
        [.list([3]), .take(3), .wait(300), .compact(drops: true), .take(3), .tell, .untilIdle, .evict(0), .wait(100)],
        // Untruths beside the file, and the file beside untruths.
        [.enqueue([12]), .untilIdle],
        [.enqueue([13, 14]), .wait(9000), .restart, .untilIdle],
    ]
}
