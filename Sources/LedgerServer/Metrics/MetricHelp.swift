/// What each metric means, as `# HELP` says it.
enum MetricHelp {
    /// By name.
    static let words = [
        "ledger_commit_seconds": "How long a commit of the log took, its sync included.",
        "ledger_commit_events": "How many events shared a commit.",
        "ledger_events_total": "Events that became durable, by type.",
        "ledger_retries_total": "Attempts that failed and are made again.",
        "ledger_log_bytes": "The length of the log in bytes.",
        "ledger_replay_seconds": "How long it took to open the ledger: the lock, recovery and the fold.",
        "ledger_last_sequence": "The number of the last durable event.",
        "ledger_downloads": "Downloads by state.",
        "ledger_queue_length": "Downloads that have a place in the queue, those that run among them.",
        "ledger_received_bytes_total": "Bytes received since the start, without what had to be thrown away.",
        "ledger_receive_bytes_per_second": "Bytes that all running downloads receive in a second.",
        "ledger_subscriber_lag_events": "How many events who follows the log is behind, by name.",
        "ledger_stream_readers": "Readers of the stream of events.",
        "ledger_http_answers_total": "Answers of the API by status.",
        "ledger_start_time_seconds": "When the server was started, in seconds since 1970.",
        "ledger_build_info": "The version of the program; always 1.",
    ]
}
