"""7. A podcast of 500 episodes, read twice: the ten newest are kept, storage and the list without a network are right."""

import datetime
import email.utils
import time

from . import checks

EPISODES = 500
KEPT = 10
NEW = 2
EPISODE_BYTES = 20_000


def run(program, origin, options, report):
    origin.clear()
    (origin.files / "feed.xml").write_text(feed(origin, EPISODES))
    for number in range(1, EPISODES + NEW + 1):
        (origin.files / f"{number}.mp3").write_bytes(bytes([number % 251]) * (EPISODE_BYTES + number))
    start = time.monotonic()
    added = program.run(
        "feed", "add", origin.url("feed.xml"), "--auto", "--keep", KEPT, "-d", program.files, "--json")
    report.expect(added.code == 0 and added.rows[0]["entries"] == EPISODES, f"feed add: {added}")
    number = added.rows[0]["id"]
    expect_kept(program, origin, EPISODES, report)
    report.figure("entries read", added.rows[0]["entries"], f"= {EPISODES}")

    (origin.files / "feed.xml").write_text(feed(origin, EPISODES + NEW))
    origin.begin()
    again = program.run("feed", "refresh", "--json")
    report.expect(again.code == 0 and again.rows[0]["entries"] == EPISODES + NEW, f"feed refresh: {again}")
    expect_kept(program, origin, EPISODES + NEW, report)
    third = program.run("feed", "refresh")
    report.expect(third.code == 0, f"feed refresh: {third}")
    time.sleep(0.3)
    statuses = [request.status for request in origin.requests() if request.name == "feed.xml"]
    report.figure("answers to the second and third refresh", " ".join(map(str, statuses)), "= 200 304")
    report.expect([str(one) for one in statuses] == ["200", "304"], f"the feed was answered {statuses}")

    stats = program.run("stats", "--json")
    deleted = [row for row in program.run("list", "--state", "deleted", "--json").rows]
    report.figure("evicted", len(deleted), f"= {NEW}")
    report.expect(len(deleted) == NEW and stats.code == 0, f"{len(deleted)} were evicted")
    listed = offline(program, origin, number, report)
    states = [row["state"] for row in listed]
    report.expect(
        states == ["completed"] * KEPT + ["deleted"] * NEW + ["available"] * (EPISODES - KEPT),
        f"the list without a network is wrong: {states[:14]}")
    report.figure("entries listed without a network", len(listed), f"= {EPISODES + NEW}")
    report.figure("wall", f"{time.monotonic() - start:.1f} s")
    checks.audit(program, report)
    origin.clear()


def expect_kept(program, origin, newest, report):
    """Works the queue off; the newest, and nothing else, are there, whole, and counted."""
    ended = program.run("run", "--until-idle", "--no-api")
    report.expect(ended.code == 0, f"run: {ended}")
    names = {f"{number}.mp3" for number in range(newest - KEPT + 1, newest + 1)}
    there = {path.name: path.stat().st_size for path in (program.files / "Radio").iterdir()}
    report.expect(set(there) == names, f"kept were {sorted(there)}, not {sorted(names)}")
    rows = program.run("list", "--state", "completed", "--group", "Radio", "--json").rows
    storage = sum(row["size"] for row in rows)
    report.figure("storage of the group", f"{storage} bytes", f"= {sum(there.values())}")
    report.expect(storage == sum(there.values()), f"storage says {storage}, the disk {sum(there.values())}")


def offline(program, origin, number, report):
    """The list while the feed is not to be had."""
    (origin.files / "feed.xml").unlink()
    failed = program.run("feed", "refresh")
    report.expect(failed.code == 1, f"a refresh of what is gone: {failed}")
    listed = program.run("feed", "list", number, "--json")
    report.expect(listed.code == 0, f"feed list: {listed}")
    return listed.rows


def feed(origin, episodes):
    """A podcast, the newest first."""
    first = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
    items = "".join(
        f"<item><title>Episode {number}</title><guid>ep-{number}</guid>"
        f"<pubDate>{email.utils.format_datetime(first + datetime.timedelta(days=number))}</pubDate>"
        f"<enclosure url=\"{origin.url(f'{number}.mp3')}\" length=\"1\" type=\"audio/mpeg\"/></item>"
        for number in range(episodes, 0, -1))
    return f"<rss version=\"2.0\"><channel><title>Radio</title>{items}</channel></rss>"
