"""A fold of the log that is not the program's own: what it claims of the file of each download."""

import pathlib


class Download:
    def __init__(self, event):
        self.id = event["id"]
        self.directory = pathlib.Path(event["directory"])
        # The origin's name of a file is the last part of its URL, and so is that of the download here.
        self.name = event["url"].rpartition("/")[2]
        self.phase = "queued"
        self.generation = 0
        self.ranges = []
        self.path = None

    def apply(self, event):
        match event["type"]:
            case "resolved":
                if event["generation"] != self.generation:
                    self.ranges = []
                self.generation = event["generation"]
                self.phase = "queued"
            case "progressed":
                self.ranges = event["ranges"]
                self.phase = "queued"
            case "verified":
                self.path = pathlib.Path(event["path"])
                self.phase = "publishing"
            case "completed" | "cancelled" | "deleted" as end:
                self.ranges = []
                self.phase = end
            case "found":
                self.path = pathlib.Path(event["path"])
                self.phase = "completed"
            case "failed":
                # Of bytes with a wrong digest nothing is held any longer.
                if event["error"]["code"] == "digest-mismatch":
                    self.ranges = []
                self.phase = "waiting" if event["retryAt"] else "failed"
            case "paused":
                self.phase = "paused"
            case "resumed" | "retried":
                self.phase = "queued"

    def part(self):
        """Its part file; nil when there is none."""
        return next(self.directory.glob(f"{self.name}.{self.id}-*.{self.generation}.part"), None)


def fold(events):
    """Each download by its id."""
    downloads = {}
    for event in events:
        if event["type"] == "enqueued":
            downloads[event["id"]] = Download(event)
        elif event["id"] in downloads:
            downloads[event["id"]].apply(event)
    return downloads
