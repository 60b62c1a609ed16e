"""The lake against truth: what every question must find and nothing else, on both engines.

FLEET_ENGINE (duckdb, spark) and FLEET_MASTER (local[2]) choose the engine, PEAT_INSPECT the tool."""
import contextlib
import glob
import io
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import unittest

import generate
from peat_fleet import cli, clocks, reader

HERE = os.path.dirname(os.path.abspath(__file__))
ENGINE = os.environ.get("FLEET_ENGINE", "duckdb")
MASTER = os.environ.get("FLEET_MASTER", "local[2]")


def tool():
    named = os.environ.get("PEAT_INSPECT")
    for path in [named] if named else [os.path.join(HERE, "../../.build", b, "peat-inspect") for b in ("release", "debug")]:
        if os.path.exists(path):
            return os.path.abspath(path)
    raise RuntimeError("build peat-inspect first, or say where it is: PEAT_INSPECT")


TOOL = tool()


def run(*words):
    """The command line: its status, what it printed, what it complained of."""
    engine = ["--engine", ENGINE] + (["--master", MASTER] if ENGINE == "spark" else [])
    out, error = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        status = cli.main([words[0], *engine, *words[1:]])
    return status, out.getvalue(), error.getvalue()


def ask(lake, question):
    status, text, error = run("ask", lake, question, "-f", "ndjson")
    assert status == 0, error
    return [json.loads(line) for line in text.splitlines()]


def ingest(folder, lake, *more):
    status, text, error = run("ingest", folder, "--out", lake, "--tool", TOOL, "--batch", "8", *more)
    return status, json.loads(text) if text else None, error


def hexed(node):
    return f"{node:08X}"


class FleetCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="peat-fleet-")
        cls.captures, cls.lake = cls.folder + "/captures", cls.folder + "/lake"
        cls.truths, cls.planted = generate.fleet(cls.captures)
        cls.status, cls.summary, cls.error = ingest(cls.captures, cls.lake)
        cls.clocks = json.loads(run("clocks", cls.lake)[1])

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)


class QuestionTests(FleetCase):
    """Each question finds its planted cases and nothing else."""

    def test_ingest(self):
        self.assertEqual(self.status, 0, self.error)
        self.assertEqual(self.summary, {"captures": 42, "known": 0, "outcomes": {"whole": 42}})

    def test_unreached(self):
        source, time = self.planted["emergency"]
        rows = ask(self.lake, "unreached")
        self.assertEqual({(r["mesh"], r["emergency_source"], int(r["emergency_time"]), r["node"], r["reason"]) for r in rows},
                         {("unreached", hexed(source), time, hexed(n), why) for n, why in self.planted["unreached"]})

    def test_slowest(self):
        origin, value, seconds = self.planted["slow"]
        rows = ask(self.lake, "slowest")
        first = rows[0]
        self.assertEqual((first["mesh"], first["origin"], int(first["value"])), ("slow", hexed(origin), value))
        self.assertAlmostEqual(first["seconds"], seconds, delta=0.02)
        # All others take 4.5 s from A's word to C's.
        for row in rows[1:]:
            self.assertLess(row["seconds"], 10)

    def test_hops(self):
        rows = ask(self.lake, "hops")
        self.assertEqual({r["hops"] for r in rows}, {1, 2})
        for row in rows:
            # B hears after the latency; C three seconds after A spoke.
            self.assertAlmostEqual(row["median_seconds"], {1: 0.004, 2: 3.004}[row["hops"]], delta=0.02)

    def test_wrong_clocks(self):
        rows = ask(self.lake, "wrong-clocks")
        found = {(r["mesh"], r["day"], os.path.basename(r["file"]), round(r["seconds"] / 3600)) for r in rows}
        self.assertEqual(found, {("clock", "2026-03-01", "phone1.btsnoop", 1), ("slow", "2026-03-02", "phone2.btsnoop", -1)})

    def test_misreading(self):
        rows = [r for r in ask(self.lake, "misreading") if r["platform"] == "m5stack"]
        self.assertEqual([(r["mesh"], r["messages"], r["senders"]) for r in rows], [("misread", self.planted["misread"], 1)])

    def test_dropping_links(self):
        rows = ask(self.lake, "dropping-links")
        self.assertEqual({(r["mesh"], os.path.basename(r["file"]), r["connections"]) for r in rows},
                         {("drops", "phone0.btsnoop", 4), ("drops", "phone1.btsnoop", 4)})

    def test_dead_batteries(self):
        rows = ask(self.lake, "dead-batteries")
        self.assertEqual([(r["mesh"], r["node"], r["battery"]) for r in rows], [("battery", hexed(self.planted["battery"]), 9)])

    def test_coverage(self):
        rows = ask(self.lake, "coverage")
        self.assertEqual({(r["mesh"], round(float(r["south"]), 2), round(float(r["west"]), 2), r["nodes"]) for r in rows},
                         {(t["mesh"], round(int((46.5 + n * 0.1) * 100 + 1e-3) / 100, 2), 7.25, 3)
                          for n, t in enumerate(self.truths[::2])})

    def test_state_is_the_tools(self):
        status, text, _ = run("state", self.lake)
        self.assertEqual(status, 0)
        states = {s["mesh"]: s for s in map(json.loads, text.splitlines())}
        self.assertEqual(len(states), 7)
        for mesh, state in states.items():
            files = sorted(glob.glob(f"{self.captures}/mesh={mesh}/*/*"))
            out = subprocess.run([TOOL, "state", "-q", "-f", "ndjson", *files], capture_output=True, check=True).stdout
            own = json.loads(out.splitlines()[0])
            self.assertEqual(state["counter"], own["counter"])
            self.assertEqual(state["total"], own["total"])
            self.assertEqual(state.get("emergency"), own.get("emergency"))

    def test_mergeable_states_are_the_tools(self):
        for mesh in ("calm", "unreached"):
            files = sorted(glob.glob(f"{self.captures}/mesh={mesh}/*/*"))
            parts = subprocess.run([TOOL, "state", "-q", "--mergeable", "--each", *files], capture_output=True, check=True).stdout
            merged = subprocess.run([TOOL, "merge", "--states", "-f", "ndjson", "-"], input=parts, capture_output=True,
                                    check=True).stdout
            whole = subprocess.run([TOOL, "state", "-q", "-f", "ndjson", *files], capture_output=True, check=True).stdout
            one, other = (json.loads(t.splitlines()[0]) for t in (merged, whole))
            for key in ("counter", "total", "emergency", "nodes"):
                self.assertEqual(one.get(key), other.get(key))

    def test_clocks(self):
        self.assertEqual(self.clocks["clocks"], 42)
        rows = ask_sql(self.lake, "SELECT k.file, c.reference, c.offset_us, c.origin_us, c.drift FROM clock c "
                                  "JOIN capture k ON k.capture = c.capture ORDER BY k.file")
        names = {r["reference"]: None for r in rows}
        for row in ask_sql(self.lake, "SELECT capture, file FROM capture"):
            if row["capture"] in names:
                names[row["capture"]] = row["file"]
        phones = {p.path: (t, p) for t in self.truths for p in t["phones"]}
        for row in rows:
            truth, phone = phones[row["file"]]
            other = phones[names[row["reference"]]][1]
            # Where the capture's clock stood at the middle, and what the reference's showed then.
            middle = (truth["start"] + truth["end"]) // 2
            clock = (row["origin_us"], row["offset_us"], row["drift"])
            error = clocks.reference_time(clock, phone.stamp(middle)) - other.stamp(middle)
            self.assertLess(abs(error), 10_000, row["file"])

    def test_clocks_are_the_tools(self):
        files = sorted(p.path for t in self.truths for p in t["phones"])
        out = subprocess.run([TOOL, "align", "-q", "-f", "ndjson", *files], capture_output=True, check=True).stdout
        records = {r["file"]: r for r in map(json.loads, out.splitlines())}
        self.assertEqual(len({r["group"] for r in records.values()}), 14)
        phones = {p.path: (t, p) for t in self.truths for p in t["phones"]}
        for file, record in records.items():
            truth, phone = phones[file]
            other = phones[record["reference"]][1]
            middle = (truth["start"] + truth["end"]) // 2
            clock = (record["origin_ns"] / 1000, record["offset_ns"] / 1000, record["drift"])
            self.assertLess(abs(clocks.reference_time(clock, phone.stamp(middle)) - other.stamp(middle)), 10_000, file)

    def test_again(self):
        before = counts(self.lake)
        copy = self.folder + "/copy"
        shutil.copytree(self.captures, copy, dirs_exist_ok=True)
        status, summary, _ = ingest(copy, self.lake)
        self.assertEqual((status, summary["captures"], summary["known"]), (0, 0, 42))
        self.assertEqual(counts(self.lake), before)

    def test_report(self):
        page = self.folder + "/page.html"
        self.assertEqual(run("report", self.lake, "-o", page)[0], 0)
        text = read(page)
        for mesh in {t["mesh"] for t in self.truths}:
            self.assertIn(f"<td>{mesh}</td>", text)


def ask_sql(lake, text):
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write(text)
        file.flush()
        return ask(lake, file.name)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def counts(lake):
    return (ask_sql(lake, "SELECT count(*) AS n, count(DISTINCT capture) AS c FROM message"),
            ask_sql(lake, "SELECT outcome, count(*) AS n FROM capture GROUP BY outcome ORDER BY outcome"))


class BadCaptureTests(unittest.TestCase):
    """A bad capture is one row with the right outcome, and the others are whole."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="peat-fleet-")
        self.lake, self.captures = self.folder + "/lake", self.folder + "/captures"
        truth = generate.day_of_mesh("calm", 0, 0, "bad")
        generate.write(truth, self.captures, "2026-03-01")
        self.whole = [p.path for p in truth["phones"]]
        with open(self.whole[0], "rb") as file:
            data = file.read()
        self.bad = self.captures + "/bad"
        os.makedirs(self.bad)
        for name, content in [("cut", data[:len(data) // 2]), ("empty", b""), ("text", b"hello\n")]:
            with open(f"{self.bad}/{name}.btsnoop", "wb") as file:
                file.write(content)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def outcomes(self):
        rows = ask_sql(self.lake, "SELECT file, outcome FROM capture")
        self.assertEqual(len(rows), len({r["file"] for r in rows}))
        return {os.path.basename(r["file"]): r["outcome"] for r in rows}

    def test_outcomes(self):
        os.mkfifo(self.bad + "/hang.btsnoop")
        os.mkfifo(self.bad + "/crash.btsnoop")

        def end_reader():
            # Opens once the reader has the pipe open, and ends that reader.
            with open(self.bad + "/crash.btsnoop", "wb"):
                for entry in glob.glob("/proc/[0-9]*/fd/*"):
                    try:
                        if os.readlink(entry) == self.bad + "/crash.btsnoop" and int(entry.split("/")[2]) != os.getpid():
                            os.kill(int(entry.split("/")[2]), signal.SIGKILL)
                    except OSError:
                        pass

        killer = threading.Thread(target=end_reader, daemon=True)
        killer.start()
        status, summary, error = ingest(self.captures, self.lake, "--time-limit", "8")
        killer.join(1)
        self.assertEqual(status, 1)
        self.assertIn("could not be read", error)
        self.assertEqual(self.outcomes(), {
            "phone0.btsnoop": "whole", "phone1.btsnoop": "whole", "phone2.btsnoop": "whole", "cut.btsnoop": "damaged",
            "empty.btsnoop": "unreadable", "text.btsnoop": "unreadable", "hang.btsnoop": "timed-out",
            "crash.btsnoop": "crashed"})

    def test_stream_is_the_same(self):
        status, _, _ = ingest(self.captures, self.lake)
        self.assertEqual(status, 1)
        other = self.folder + "/streamed"
        ingest(self.captures, other, "--stream")
        query = "SELECT id, time_us, node, version, kind FROM message ORDER BY capture, frame"
        self.assertEqual(ask_sql(self.lake, query), ask_sql(other, query))
        self.assertEqual(counts(self.lake), counts(other))

    def test_a_wrong_call_stops(self):
        status, _, error = run("ingest", self.captures, "--out", self.lake, "--tool", "/nonexistent/peat-inspect")
        self.assertEqual(status, 2)
        self.assertIn("/nonexistent", error)
        empty = self.folder + "/none"
        os.makedirs(empty)
        self.assertEqual(run("ingest", empty, "--out", self.lake)[0], 3)

    def test_hostile_numbers(self):
        # A count of 2^64-1 and a name that a spreadsheet or a browser would run.
        a, b = generate.Phone(0, 0x11, b"\xc0\0\0\0\0\x01"), generate.Phone(1, 0x12, b"\xc0\0\0\0\0\x02")
        generate.connect(a, b, generate.START)
        a.counter = {0x11: (1 << 64) - 1}
        generate.send(a, b, generate.START + 5_000_000, True, value=generate.document(
            1, 0x11, a.counter, ("=<b>x", 50, generate.START // 1000, (1.0, 2.0))))
        path = self.folder + "/hostile.btsnoop"
        with open(path, "wb") as file:
            file.write(a.bytes())
        ingest(path, self.lake)
        row = ask_sql(self.lake, "SELECT origin, value FROM counter")
        self.assertEqual([(r["origin"], int(r["value"])) for r in row], [("00000011", (1 << 64) - 1)])
        page = self.folder + "/page.html"
        run("report", self.lake, "-o", page)
        self.assertNotIn("<b>x", read(page))


@unittest.skipUnless(ENGINE == "duckdb", "an ingest in one process")
class KilledIngestTests(unittest.TestCase):
    """An ingest that is ended in the middle, and begun again, leaves every row exactly once."""

    def test_killed(self):
        with tempfile.TemporaryDirectory(prefix="peat-fleet-") as folder:
            generate.fleet(folder + "/captures", days=1)
            whole, broken = folder + "/whole", folder + "/broken"
            ingest(folder + "/captures", whole)
            words = ["python3", "-m", "peat_fleet", "ingest", folder + "/captures", "--out", broken, "--tool", TOOL, "--batch", "4",
                     "-v"]
            words[0] = os.sys.executable
            process = subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                                       cwd=os.path.dirname(HERE))
            # After the second batch, in the midst of the third.
            for line in process.stderr:
                if line.startswith("peat-fleet: 8 of"):
                    break
            process.kill()
            process.wait()
            process.stderr.close()
            # What a batch leaves that was ended between its messages and its captures.
            orphan = broken + "/message/day=2026-03-01/mesh=calm"
            os.makedirs(orphan, exist_ok=True)
            some = glob.glob(whole + "/message/*/*/*.parquet")[0]
            shutil.copy(some, orphan + "/0123456789abcdef_0.parquet")
            ingest(folder + "/captures", broken)
            self.assertEqual(counts(broken), counts(whole))
            query = "SELECT capture, id, frame FROM message ORDER BY capture, frame"
            self.assertEqual(ask_sql(broken, query), ask_sql(whole, query))
            self.assertFalse(os.path.exists(orphan + "/0123456789abcdef_0.parquet"))


class ClockTests(unittest.TestCase):
    def test_fit(self):
        # 3 s ahead and 20 ppm fast; every message needs 4 ms, some much more.
        pairs = []
        for i in range(200):
            at = i * 1_000_000
            late = 500_000 if i % 7 == 0 else 0
            own = lambda t: t + 3_000_000 + t * 20e-6
            pairs.append((at, own(at + 4_000 + late), True))
            pairs.append((at + 500_000 + 4_000, own(at + 500_000), False))
        origin, offset, drift, uncertainty, count = clocks.fit(pairs)
        self.assertEqual(count, 400)
        self.assertAlmostEqual(offset + drift * (0 - origin), 3_000_000, delta=1_000)
        self.assertAlmostEqual(drift * 1e6, 20, delta=2)
        self.assertLess(uncertainty, 5_000)


if __name__ == "__main__":
    unittest.main()
