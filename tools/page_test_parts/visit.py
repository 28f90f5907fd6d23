"""One visit to the page: every step that a person takes, and what has to be seen after it."""

import contextlib
import hashlib
import json
import re
import time
import urllib.request

from daemon import until

WAIT_MS = 20_000
# What axe-core calls a finding that matters.
GRAVE = {"serious", "critical"}
VIEWS = ["now", "library", "history", "feeds", "settings"]


class Visit:
    def __init__(self, chromium, daemon, origin, width, height, shots):
        self.daemon, self.origin, self.width, self.shots = daemon, origin, width, shots
        self.context = chromium.new_context(
            viewport={"width": width, "height": height}, has_touch=width < 600, reduced_motion="reduce")
        self.page = self.context.new_page()
        self.page.set_default_timeout(WAIT_MS)
        self.complaints, self.isOffline = [], False
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self.hear)
        self.answers = []
        self.page.on("response", self.note)

    def hear(self, message):
        if message.type == "error" and not self.isOffline:
            self.complaints.append(message.text)

    def note(self, answer):
        self.answers.append((answer.url, answer.status))
        if answer.status >= 400 and not self.isOffline:
            self.complaints.append(f"{answer.status} {answer.request.method} {answer.url}")

    def close(self):
        self.context.close()

    def shot(self, name):
        self.page.screenshot(path=self.shots / f"{self.width}-{name}.png")

    def run(self):
        for step in (
            self.add_and_watch, self.play, self.read, self.search_and_filter, self.delete_and_undo, self.order,
            self.order_in_motion, self.change_in_detail, self.late_answers, self.reload_in_the_middle,
            self.explain_failure, self.look_back, self.prove, self.offline, self.keys, self.feeds, self.looks,
        ):
            begin = time.monotonic()
            step()
            if self.complaints:
                raise AssertionError(f"the console says: {self.complaints}")
            print(f"  {step.__doc__.rstrip('.').lower()}: holds, {time.monotonic() - begin:.1f} s", flush=True)

    # The steps

    def add_and_watch(self):
        """Add links, and watch them finish."""
        self.page.goto(self.daemon.url + "/")
        self.add(["film.webm", "tone.wav", "paper.pdf"])
        for name in ("film.webm", "tone.wav", "paper.pdf"):
            self.see(f'[data-view="now"] li[data-state="completed"]:has-text("{name}")')
        self.shot("now-finished")

    def play(self):
        """Play a video, and go to the middle of it."""
        self.open("library")
        self.page.locator("#library-grid li", has_text="film.webm").get_by_role("link").first.click()
        self.see("#detail video")
        video = self.page.locator("#detail video")
        video.evaluate("v => v.readyState >= 1 || new Promise(done => v.addEventListener('loadedmetadata', done))")
        video.evaluate("v => { v.muted = true; return v.play(); }")
        self.until("document.querySelector('#detail video').currentTime > 0.2", "the video plays")
        video.evaluate("v => new Promise(done => { v.addEventListener('seeked', done, {once: true}); v.currentTime = 15; })")
        self.until("document.querySelector('#detail video').currentTime > 15.2", "it goes on from the middle")
        if (self.file_url("film.webm"), 206) not in self.answers:
            raise AssertionError("no range of the video was asked for")
        video.evaluate("v => v.pause()")
        self.shot("library-video")
        # The place is remembered.
        self.page.keyboard.press("Escape")
        self.gone("#detail video")
        self.page.locator("#library-grid li", has_text="film.webm").get_by_role("link").first.click()
        self.until("document.querySelector('#detail video')?.currentTime > 14", "the place was remembered")
        self.page.keyboard.press("Escape")
        self.gone("#detail video")

    def read(self):
        """Open a PDF."""
        self.page.locator("#library-grid li", has_text="paper.pdf").get_by_role("link").first.click()
        self.see("#detail iframe")
        url = self.file_url("paper.pdf")
        # The browser's viewer is a page around a frame that holds the document again.
        self.wait(lambda: sum(frame.url == url for frame in self.page.frames) >= 2, "the viewer took the PDF")
        # White paper between dark bars: what is not drawn yet is all one colour.
        self.wait(lambda: self.colours("#detail iframe") > 1, "the PDF is drawn")
        self.shot("library-pdf")
        self.page.keyboard.press("Escape")
        self.gone("#detail iframe")

    def search_and_filter(self):
        """Search and filter the library."""
        self.page.locator("#library-search").fill("tone")
        self.until("document.querySelectorAll('#library-grid li').length === 1", "one item is found")
        self.page.locator("#library-search").fill("")
        for name, count in (("Videos", 1), ("Audio", 1), ("PDFs", 1), ("Downloaded", 3), ("All", 3)):
            self.page.get_by_role("radio", name=name).check(force=True)
            self.until(f"document.querySelectorAll('#library-grid li').length === {count}", f"{name} shows {count}")
        self.shot("library")

    def delete_and_undo(self):
        """Delete, and undo it."""
        path = self.daemon.files / "tone.wav"
        self.page.get_by_role("button", name=re.compile("^Delete tone")).click()
        until(lambda: not path.exists(), "the file is gone")
        self.shot("library-deleted")
        self.page.get_by_role("button", name="Undo").click()
        until(path.exists, "the file is back")
        self.see('#library-grid li[data-state="completed"]:has-text("tone.wav")')

    def order(self):
        """Put the queue into order, by pointer and by keys."""
        self.open("now")
        self.add([f"part-{number}.bin" for number in range(4)], paused=True)
        self.see('[data-view="now"] li[data-state="paused"]:has-text("part-3.bin")')
        with self.drag("part-0.bin", "part-2.bin"):
            self.shot("now-dragging")
        self.turn([1, 2, 0, 3])
        self.page.get_by_role("button", name="Move part-3.bin").focus()
        self.page.keyboard.press("ArrowUp")
        self.turn([1, 2, 3, 0])
        self.page.get_by_role("button", name="Resume part-1.bin").click()
        self.see('[data-view="now"] li[data-state="completed"]:has-text("part-1.bin")')

    def order_in_motion(self):
        """What is dragged goes where it is dropped, though the queue changes meanwhile."""
        self.turn([2, 3, 0])
        with self.drag("part-0.bin", "part-2.bin"):
            self.ask(f"/v1/downloads/{self.row('part-2.bin')['id']}/cancel", {})
            # Long enough for the stream to show it.
            self.page.wait_for_timeout(1200)
        self.turn([0, 3])
        self.see('[data-view="now"] li[data-state="cancelled"]:has-text("part-2.bin")')

    def change_in_detail(self):
        """Change how fast a download may be, and back."""
        self.page.locator('[data-view="now"] li a', has_text="part-0.bin").click()
        self.page.locator("#detail summary", has_text="Change").click()
        field = self.page.locator('#detail input[name="limitRate"]')
        for typed, options in (("2M", {"limitRate": 2 << 20}), ("", {})):
            field.fill(typed)
            self.page.locator("#detail").get_by_role("button", name="Save").click()
            self.wait(lambda: self.row("part-0.bin")["options"] == options, f"the options are {options}")
            words = "document.querySelector('#detail .facts').innerText.includes('limitRate')"
            self.until(f"{words} === {'true' if options else 'false'}", "the facts show it")
        self.page.keyboard.press("Escape")
        self.gone("#detail[open]")

    def late_answers(self):
        """An answer that comes late takes nothing back."""
        self.add(["slow-late.bin"], paused=True)
        self.see('[data-view="now"] li[data-state="paused"]:has-text("slow-late.bin")')
        late = []

        def hold(route):
            # What was true when it was asked, told when the stream has told more.
            answer = route.fetch()
            self.wait(lambda: self.row("slow-late.bin")["state"] == "completed", "the download ends")
            self.see(completed)
            route.fulfill(response=answer)
            late.append([row["state"] for row in answer.json().get("downloads", [answer.json()])])

        completed = '[data-view="now"] li[data-state="completed"]:has-text("slow-late.bin")'
        self.page.route("**/v1/downloads/*/resume", hold, times=1)
        self.page.get_by_role("button", name="Resume slow-late.bin").click()
        self.wait(lambda: late, "the late answer comes")
        if late[0][0] == "completed":
            raise AssertionError("the answer was not older than what the stream told")
        self.page.wait_for_timeout(500)
        self.see(completed)

    def reload_in_the_middle(self):
        """Reload in the middle of a download."""
        self.add(["slow-big.bin"])
        row = '[data-view="now"] li[data-state="running"]:has-text("slow-big.bin")'
        self.see(row)
        until(lambda: self.row("slow-big.bin")["received"] > 2 << 20, "2 MiB have come")
        self.page.evaluate("window.scrollTo(0, 0)")
        self.shot("now-running")
        self.page.reload()
        self.see(row)
        self.origin.rate = 64 << 20
        self.see('[data-view="now"] li[data-state="completed"]:has-text("slow-big.bin")', 60_000)
        self.origin.rate = 1 << 20
        wanted = hashlib.sha256((self.origin.place / "slow-big.bin").read_bytes()).digest()
        if hashlib.sha256((self.daemon.files / "slow-big.bin").read_bytes()).digest() != wanted:
            raise AssertionError("the file is another than the origin's")
        if self.row("slow-big.bin")["attempts"] != 1:
            raise AssertionError("the download began anew")

    def explain_failure(self):
        """A failure says why and what to do."""
        (self.origin.place / "nowhere.bin").unlink(missing_ok=True)
        self.add(["nowhere.bin"])
        failed = '[data-view="now"] li[data-state="failed"]:has-text("nowhere.bin")'
        self.see(failed)
        words = self.page.locator(failed).first.inner_text()
        if "404" not in words:
            raise AssertionError(f"it is not said why: {words}")
        self.shot("now-failed")
        (self.origin.place / "nowhere.bin").write_bytes(b"here after all")
        self.page.get_by_role("button", name="Retry nowhere.bin").click()
        self.see('[data-view="now"] li[data-state="completed"]:has-text("nowhere.bin")')

    def look_back(self):
        """Drag the slider back, and see the queue of then."""
        self.open("history")
        slider = self.page.locator("#history-slider")
        self.until("Number(document.querySelector('#history-slider').max) > 10", "the log is known")
        paused = next(event["seq"] for event in self.events() if event["type"] == "enqueued"
                      and event["url"].endswith("part-3.bin"))
        last = int(slider.get_attribute("max"))
        box = slider.bounding_box()
        share = paused / last
        y = box["y"] + box["height"] / 2
        self.page.mouse.move(box["x"] + box["width"] - 8, y)
        self.page.mouse.down()
        self.page.mouse.move(box["x"] + 8 + (box["width"] - 16) * share, y, steps=12)
        self.page.mouse.up()
        # The pointer is coarse where the log is long: to the very event by keys.
        for _ in range(400):
            at = int(slider.input_value())
            if at == paused:
                break
            slider.press("ArrowRight" if at < paused else "ArrowLeft")
        self.see('#history-queue li[data-state="paused"]:has-text("part-0.bin")')
        self.see(f'#history-events li.current[data-seq="{paused}"]')
        if self.page.locator("#history-queue li", has_text="nowhere.bin").count():
            raise AssertionError("what came later stands in the queue of then")
        self.shot("history")
        self.page.locator("#history-queue a", has_text="part-0.bin").click()
        self.see("#detail")
        self.shot("history-explained")
        self.page.keyboard.press("Escape")

    def prove(self):
        """Verify and checkpoint with one click each."""
        self.page.get_by_role("button", name="Verify").click()
        self.see("text=Everything is as it was recorded")
        self.page.get_by_role("button", name="Checkpoint").click()
        self.see("#checkpoint-text")
        if not self.page.locator("#checkpoint-text").input_value().strip():
            raise AssertionError("the checkpoint is empty")

    def offline(self):
        """Go offline and on again."""
        self.open("now")
        self.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        self.isOffline = True
        self.context.set_offline(True)
        self.see("#offline-banner:visible")
        self.page.reload()
        self.see('[data-view="now"]')
        self.see("#offline-banner:visible")
        self.shot("offline")
        self.context.set_offline(False)
        self.gone("#offline-banner:visible")
        self.isOffline = False
        self.complaints.clear()
        self.add(["part-4.bin"])
        self.see('[data-view="now"] li[data-state="completed"]:has-text("part-4.bin")')

    def keys(self):
        """Everything is reached by keys."""
        self.page.keyboard.press("Escape")
        self.page.evaluate("document.activeElement?.blur()")
        for number, view in enumerate(VIEWS, 1):
            self.page.keyboard.press(str(number))
            self.see(f'section[data-view="{view}"]:visible')
        self.page.keyboard.press("1")
        self.see('section[data-view="now"]:visible')
        reached, hidden = set(), []
        self.page.evaluate("document.body.focus(); window.scrollTo(0, 0)")
        for _ in range(150):
            self.page.keyboard.press("Tab")
            found = self.page.evaluate(
                "(() => { const e = document.activeElement; const s = getComputedStyle(e); const b = e.getBoundingClientRect();"
                " if (e === document.body) return [null, true]; return [e.id || e.ariaLabel || e.innerText?.trim() || e.tagName,"
                " b.width > 0 && (s.outlineStyle !== 'none' || s.boxShadow !== 'none' || e.matches('input, iframe'))]; })()")
            reached.add(found[0])
            if not found[1]:
                hidden.append(found[0])
        for name in ("add-urls", "add-submit"):
            if name not in reached:
                raise AssertionError(f"'{name}' is not reached by Tab: {sorted(filter(None, reached))}")
        if hidden:
            raise AssertionError(f"the focus is not seen on {sorted(set(hidden))}")
        self.page.evaluate("document.activeElement?.blur()")
        self.page.keyboard.press("?")
        self.see("#help")
        self.page.keyboard.press("Escape")

    def feeds(self):
        """Follow a feed, and take one of its entries."""
        entries = "".join(
            f"<item><title>Part {number}</title><guid>p{number}</guid>"
            f'<enclosure url="{self.origin.url(f"part-{number}.bin")}?feed" type="audio/mpeg" length="20000"/></item>'
            for number in range(2))
        (self.origin.place / "feed.xml").write_text(
            f'<?xml version="1.0"?><rss version="2.0"><channel><title>Parts</title>{entries}</channel></rss>')
        self.ask("/v1/feeds", {"url": self.origin.url("feed.xml"), "group": "parts"})
        self.open("feeds")
        self.see('section[data-view="feeds"]:has-text("feed.xml")')
        # One feed stands open by itself; its entries come with an answer of their own, which the click waits for.
        self.page.get_by_role("button", name="Download Part 0").click()
        self.wait(lambda: any(row["title"] == "Part 0" and row["state"] == "completed" for row in self.rows()),
                  "the entry was taken")
        self.shot("feeds")

    def looks(self):
        """No view is too wide, and axe-core finds nothing grave in light or dark."""
        from axe_playwright_python.sync_playwright import Axe

        axe = Axe()
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            for view in VIEWS:
                self.open(view)
                wide = self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
                if wide > 0:
                    raise AssertionError(f"'{view}' is {wide} pixels too wide")
                found = axe.run(self.page).response["violations"]
                grave = [(each["id"], [node["target"] for node in each["nodes"]][:4]) for each in found
                         if each["impact"] in GRAVE]
                if grave:
                    raise AssertionError(f"axe-core in '{view}', {scheme}: {grave}")
                self.shot(f"{view}-{scheme}")

    # What they stand on

    def add(self, names, paused=False):
        self.page.locator("#add-urls").fill("\n".join(self.origin.url(name) for name in names))
        if paused:
            self.page.locator("#add-paused").evaluate("e => { e.closest('details').open = true; e.checked = true; }")
        self.page.locator("#add-submit").click()
        self.until("document.querySelector('#add-urls').value === ''", "the links were taken")
        if paused:
            self.page.locator("#add-paused").evaluate("e => { e.checked = false; e.closest('details').open = false; }")

    @contextlib.contextmanager
    def drag(self, name, below):
        """Drags a row by its grip to below another one; it is let go when the body has ended."""
        grips = [self.page.get_by_role("button", name=f"Move {each}") for each in (name, below)]
        grips[1].scroll_into_view_if_needed()
        held, place = (grip.bounding_box() for grip in grips)
        self.page.mouse.move(held["x"] + 8, held["y"] + 8)
        self.page.mouse.down()
        self.page.mouse.move(place["x"] + 8, place["y"] + place["height"] + 8, steps=8)
        yield
        self.page.mouse.up()

    def open(self, view):
        self.page.evaluate(f"location.hash = '#/{view}'")
        self.see(f'section[data-view="{view}"]:visible')

    def see(self, selector, wait=WAIT_MS):
        self.page.locator(selector).first.wait_for(state="visible", timeout=wait)

    def gone(self, selector):
        self.page.locator(selector).first.wait_for(state="hidden")

    def until(self, condition, words):
        # Asked from here: the page's own policy lets nothing be evaluated in it that waits.
        self.wait(lambda: self.page.evaluate(condition), words)

    def wait(self, condition, words):
        deadline = time.monotonic() + WAIT_MS / 1000
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"not so: {words}")
            # Keeps the page's own clock going.
            self.page.wait_for_timeout(50)

    def colours(self, selector):
        """How many of black, white and what is between a picture of an element holds much of."""
        import io

        import av

        png = self.page.locator(selector).screenshot()
        with av.open(io.BytesIO(png)) as picture:
            gray = next(picture.decode(video=0)).reformat(format="gray")
        plane = bytes(gray.planes[0])
        return sum(sum(low <= value < low + 86 for value in plane[::97]) > len(plane) // 97 // 10
                   for low in (0, 86, 172))

    def ask(self, path, body=None):
        """What a route answers beside the page, from its JSON."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if data else {}
        request = urllib.request.Request(self.daemon.url + path, data, headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())

    def rows(self, query=""):
        return self.ask("/v1/downloads?limit=1000" + query)["downloads"]

    def row(self, name):
        return next(row for row in self.rows() if row["url"].endswith(name))

    def file_url(self, name):
        return f"{self.daemon.url}/files/{self.row(name)['id']}"

    def turn(self, numbers):
        """Waits until the paused parts stand in the queue in this order."""
        wanted = [f"part-{number}.bin" for number in numbers]
        self.wait(lambda: wanted == [
            row["url"].rsplit("/", 1)[1] for row in self.rows("&sort=turn&state=paused")], f"the queue is {wanted}")

    def events(self):
        with urllib.request.urlopen(self.daemon.url + "/v1/events?limit=10000", timeout=60) as answer:
            return [json.loads(line) for line in answer.read().splitlines() if line]
