"""What a client of aria2's does, one function for each thing; each raises when it is not as it should be."""

import json
import pathlib
import threading
import time
import urllib.error
import urllib.request
import xmlrpc.client

import aria2p

from daemon import END_SECONDS_MAX, until

from .origin import SLOW_BYTES, content

METHODS = 36
ENOUGH = 1000


class Failed(Exception):
    """What is not as it should be."""


def expect(found, wanted, what):
    if found != wanted:
        raise Failed(f"{what}: {found!r} where {wanted!r} should be")


def add(api, origin, path, options=None, position=None):
    return api.add_uris([origin.url(path)], options or {}, position)


def until_status(api, download, status):
    def holds():
        return api.get_download(download.gid).status == status
    until(holds, f"'{download.gid}' is {status}")
    return api.get_download(download.gid)


def file_of(download, daemon):
    path = pathlib.Path(str(download.files[0].path))
    if daemon.files not in path.parents:
        raise Failed(f"'{path}' is not in '{daemon.files}'")
    return path


def about(api, origin, daemon):
    """What it is"""
    expect(len(api.client.list_methods()), METHODS, "methods")
    expect(api.client.get_version()["version"], "1.36.0", "version")
    expect(len(api.client.get_session_info()["sessionId"]), 40, "digits of the session")


def adding(api, origin, daemon):
    """Adding, and what is told of it"""
    options = {"out": "named.bin", "header": ["X-Check: yes"], "max-connection-per-server": "2"}
    download = add(api, origin, "/fast/a", options)
    done = until_status(api, download, "complete")
    expect((done.total_length, done.completed_length), (SLOW_BYTES, SLOW_BYTES), "lengths")
    expect(done.error_code, "0", "errorCode")
    expect(file_of(done, daemon).name, "named.bin", "name")
    expect(file_of(done, daemon).read_bytes(), content("a", SLOW_BYTES), "bytes")
    expect({fields.get("X-Check") for path, fields in origin.requests if path == "/fast/a"}, {"yes"}, "header")
    expect(done.options.get("header"), "X-Check: yes\n", "header as it is shown")
    expect(done.gid in [one.gid for one in api.get_downloads()], True, "is on the list")


def pausing(api, origin, daemon):
    """Pausing and resuming"""
    download = add(api, origin, "/slow/b", {"split": "1"})
    until_status(api, download, "active")
    until(lambda: api.get_download(download.gid).completed_length > 0, "something has come")
    expect(api.pause([download]), [True], "pause")
    expect(api.get_download(download.gid).status, "paused", "status")
    expect(api.client.tell_waiting(0, 1)[0]["gid"], download.gid, "first of those that wait")
    origin.release("/slow/b")
    expect(api.resume([download]), [True], "resume")
    done = until_status(api, download, "complete")
    expect(file_of(done, daemon).read_bytes(), content("b", SLOW_BYTES), "bytes")
    expect(api.client.pause_all(), "OK", "pauseAll")
    expect(api.client.unpause_all(), "OK", "unpauseAll")


def moving(api, origin, daemon):
    """Moving"""
    downloads = [add(api, origin, f"/fast/move-{number}", {"pause": "true"}) for number in range(3)]
    gids = [download.gid for download in downloads]

    def waiting():
        return [item["gid"] for item in api.client.tell_waiting(0, ENOUGH, ["gid"])]

    expect(waiting(), gids, "order")
    expect(api.move_to_top(downloads[2]), 0, "place")
    expect(waiting(), [gids[2], gids[0], gids[1]], "order")
    expect(api.move(downloads[2], 1), 1, "place")
    expect(waiting(), [gids[0], gids[2], gids[1]], "order")
    expect(api.move_to_bottom(downloads[0]), 2, "place")
    expect(waiting(), [gids[2], gids[1], gids[0]], "order")
    first = add(api, origin, "/fast/move-first", {"pause": "true"}, 0)
    expect(waiting()[0], first.gid, "first")
    expect([item["gid"] for item in api.client.tell_waiting(-1, 2, ["gid"])], [gids[0], gids[1]], "from the end")
    expect(api.remove([first, *downloads]), [True] * 4, "remove")
    expect(waiting(), [], "what waits")


def options(api, origin, daemon):
    """Options of one and of all"""
    download = add(api, origin, "/fast/o", {"pause": "true", "max-download-limit": "20K"})
    expect(api.get_options([download])[0].get("max-download-limit"), "20480", "limit")
    expect(api.set_options({"max-download-limit": "1M"}, [download]), [True], "set")
    expect(api.get_options([download])[0].get("max-download-limit"), "1048576", "limit")
    expect(api.set_global_options({"max-concurrent-downloads": "3"}), True, "set for all")
    shown = api.get_global_options()
    expect(shown.get("max-concurrent-downloads"), "3", "downloads at once")
    expect(shown.get("rpc-secret"), None, "secret")
    expect(shown.get("dir"), str(daemon.files), "directory")
    for refused in ({"dir": "/etc"}, {"out": "../x"}, {"on-download-complete": "/bin/true"}):
        try:
            add(api, origin, "/fast/o", refused)
        except aria2p.ClientException as error:
            expect(error.code, 1, f"{refused}")
        else:
            raise Failed(f"{refused} was taken")
    expect(api.remove([download]), [True], "remove")


def failing(api, origin, daemon):
    """Failing, and being tried again"""
    for status, code in ((404, "3"), (401, "24"), (403, "22"), (503, "29")):
        failed = until_status(api, add(api, origin, f"/status/{status}", {"max-tries": "1"}), "error")
        expect(failed.error_code, code, f"errorCode of {status}")
        expect(bool(failed.error_message), True, "errorMessage")
    expect(api.retry_downloads([failed]), [True], "retry")
    expect([one.gid for one in api.get_downloads()].count(failed.gid), 0, "the old result")
    torrent = api.get_download(api.client.add_torrent("ZGU=", []))
    expect((torrent.status, torrent.error_code), ("error", "26"), "torrent")
    until(lambda: not api.client.tell_active(), "nothing is active")


def removing(api, origin, daemon):
    """Removing and purging"""
    download = add(api, origin, "/slow/r")
    until_status(api, download, "active")
    expect(api.client.force_remove(download.gid), download.gid, "remove")
    expect(api.get_download(download.gid).status, "removed", "status")
    expect(api.client.remove_download_result(download.gid), "OK", "removeDownloadResult")
    origin.release("/slow/r")
    kept = daemon.files / "named.bin"
    expect(bool(api.client.tell_stopped(0, ENOUGH)), True, "results before")
    expect(api.purge(), True, "purge")
    expect(api.client.tell_stopped(0, ENOUGH), [], "results")
    expect(kept.is_file(), True, "the file stays")
    figures = api.get_stats()
    expect((figures.num_active, figures.num_waiting, figures.num_stopped), (0, 0, 0), "figures")


def listening(api, origin, daemon):
    """Notifications over a WebSocket"""
    told, lock = [], threading.Lock()

    def take(kind):
        def callback(_, gid):
            with lock:
                told.append((kind, gid))
        return callback

    def seen(gid):
        with lock:
            return [kind for kind, one in told if one == gid]

    kinds = ("start", "pause", "stop", "complete", "error")
    api.listen_to_notifications(
        threaded=True, timeout=1, **{f"on_download_{kind}": take(kind) for kind in kinds})
    try:
        # Until the first is told: the connection is made beside this thread.
        until(lambda: told or not add(api, origin, "/fast/n"), "a notification")
        held = add(api, origin, "/slow/n")
        until(lambda: seen(held.gid) == ["start"], "the start")
        api.pause([held])
        until(lambda: seen(held.gid) == ["start", "pause"], "the pause")
        api.resume([held])
        until(lambda: seen(held.gid) == ["start", "pause", "start"], "the next start")
        api.client.remove(held.gid)
        until(lambda: seen(held.gid)[3:] == ["stop"], "the stop")
        failed = add(api, origin, "/status/404")
        until(lambda: seen(failed.gid) == ["start", "error"], "the error")
        done = add(api, origin, "/fast/m")
        until(lambda: seen(done.gid) == ["start", "complete"], "the end")
    finally:
        origin.release("/slow/n")
        api.stop_listening()
    api.purge()


def plainly(api, origin, daemon):
    """What is no JSON-RPC library: GET, scripts, other paths"""
    base = f"http://127.0.0.1:{daemon.port}"
    with urllib.request.urlopen(f"{base}/jsonrpc?method=aria2.getVersion&id=7&jsoncallback=f") as answer:
        expect(answer.headers["Content-Type"].split(";")[0], "text/javascript", "type")
        body = answer.read().decode()
        expect((body[:2], body[-1:]), ("f(", ")"), "script")
        expect(json.loads(body[2:-1])["id"], "7", "id")
    for path, status in (("/jsonrpc", 400), ("/rpc", 405), ("/jsonrpc?params=bm8%3D", 500)):
        try:
            urllib.request.urlopen(base + path)
        except urllib.error.HTTPError as error:
            expect(error.code, status, path)
        else:
            raise Failed(f"{path} is answered")


def in_xml(api, origin, daemon):
    """XML-RPC, by Python's own client"""
    with xmlrpc.client.ServerProxy(f"http://127.0.0.1:{daemon.port}/rpc") as server:
        expect("XML-RPC" in server.aria2.getVersion()["enabledFeatures"], True, "features")
        options = {"out": "in-xml & more.bin", "header": ["X-Check: <yes>"]}
        gid = server.aria2.addUri([origin.url("/fast/xml")], options, 0)
        done = until_status(api, api.get_download(gid), "complete")
        expect(file_of(done, daemon).read_bytes(), content("xml", SLOW_BYTES), "bytes")
        expect(server.aria2.tellStatus(gid, ["gid", "status"]), {"gid": gid, "status": "complete"}, "status")
        calls = xmlrpc.client.MultiCall(server)
        calls.aria2.tellStopped(0, ENOUGH, ["gid"])
        calls.aria2.tellStatus("zz")
        answers = calls()
        expect({"gid": gid} in answers[0], True, "what has stopped")
        try:
            answers[1]
            raise Failed("an invalid GID was taken")
        except xmlrpc.client.Fault as fault:
            expect((fault.faultCode, fault.faultString), (1, "Invalid GID zz"), "fault")


def secrets(api, origin, daemon):
    """A secret, once there is one"""
    issued = daemon.run("token", "check", "--json")
    expect(issued.returncode, 0, f"token: {issued.stderr}")
    secret = json.loads(issued.stdout)["token"]
    for wrong in ("", "no"):
        client = aria2p.Client(host="http://127.0.0.1", port=daemon.port, secret=wrong)
        start = time.monotonic()
        try:
            client.get_version()
        except aria2p.ClientException as error:
            expect(error.message, "Unauthorized", "message")
        else:
            raise Failed("it is open")
        expect(time.monotonic() - start > 1, True, "a pause")
    api.client.secret = secret
    expect(api.client.get_version()["version"], "1.36.0", "version")
    calls = [{"methodName": "aria2.getVersion", "params": [f"token:{secret}"]}]
    expect(api.client.multicall(calls)[0][0]["version"], "1.36.0", "in a multicall")


def ending(api, origin, daemon):
    """Ending the program"""
    expect(api.client.shutdown(), "OK", "shutdown")
    expect(daemon.process.wait(END_SECONDS_MAX), 0, "exit code")


ALL = [about, adding, pausing, moving, options, failing, removing, listening, plainly, in_xml, secrets, ending]
