"""The command line of peat-fleet."""
import argparse
import csv
import importlib.resources
import json
import sys

from . import clocks, reader, report, state


def questions():
    folder = importlib.resources.files("peat_fleet") / "questions"
    return {p.name.removesuffix(".sql"): p.read_text() for p in sorted(folder.iterdir(), key=lambda p: p.name)
            if p.name.endswith(".sql")}


def opened(options):
    if options.engine == "spark":
        from .spark import SparkLake
        return SparkLake(options.lake, master=options.master, memory=options.engine_memory)
    from .lake import DuckLake
    return DuckLake(options.lake, threads=options.threads, memory=options.engine_memory)


def say(text):
    print(f"peat-fleet: {text}", file=sys.stderr)


def ingest(lake, options):
    uris = []
    for place in options.input:
        found = reader.listing(place)
        if not found:
            say(f"{place}: there is no capture")
            return 3
        uris += found
    if options.pattern:
        import fnmatch
        uris = [u for u in uris if any(fnmatch.fnmatch(u.rsplit("/", 1)[-1], p) for p in options.pattern)]
        if not uris:
            say("no capture has such a name")
            return 3
    reading = reader.Options(tool=options.tool, jobs=options.jobs, time_limit=options.time_limit,
                             memory=int(options.memory * (1 << 20)), keys=options.keys, stream=options.stream)
    with lake.locked():
        lake.make_views()
        known = lake.known()
        if options.engine == "spark":
            prints = lake.fingerprints(sorted(set(uris)))
        else:
            prints = [(u, reader.fingerprint(u)) for u in sorted(set(uris))]
        wanted, passed = [], 0
        for uri, sha in prints:
            key = sha or "file:" + uri
            if key in known:
                passed += 1
                continue
            known.add(key)
            wanted.append(uri)
        lake.ingest(wanted, reading, options.batch, lambda n: say(f"{n} of {len(wanted)} captures") if options.verbose else None)
    outcomes = {}
    if wanted:
        mine = set(wanted)
        for file, outcome in lake.rows("SELECT file, outcome FROM capture"):
            if file in mine:
                outcomes[outcome] = outcomes.get(outcome, 0) + 1
    print(json.dumps({"captures": len(wanted), "known": passed, "outcomes": dict(sorted(outcomes.items()))}))
    bad = sum(n for o, n in outcomes.items() if o in ("unreadable", "crashed", "timed-out"))
    if wanted and bad > options.bad_limit * len(wanted):
        say(f"{bad} of {len(wanted)} captures could not be read, more than {options.bad_limit:.0%}")
        return 1
    return 0


def show(columns, rows, form):
    if form == "ndjson":
        for row in rows:
            print(json.dumps(dict(zip(columns, row)), default=str))
    elif form == "csv":
        out = csv.writer(sys.stdout, lineterminator="\n")
        out.writerow(columns)
        # A spreadsheet must not run what a stranger's radio sent.
        out.writerows([["'" + v if isinstance(v, str) and v[:1] in "=+-@\t\r" else v for v in row] for row in rows])
    else:
        cells = [[safe("" if v is None else v) for v in row] for row in rows]
        widths = [max([len(c)] + [len(r[i]) for r in cells]) for i, c in enumerate(columns)]
        for row in [columns] + cells:
            print("  ".join(str(v).ljust(w) for v, w in zip(row, widths)).rstrip())


def safe(value):
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="peat-fleet", description="All captures of an exercise, asked in SQL.")
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name, text):
        one = commands.add_parser(name, help=text, description=text)
        one.add_argument("--engine", choices=["duckdb", "spark"], default="duckdb")
        one.add_argument("--master", help="Spark's master, such as local[2]; default: what spark-submit says")
        one.add_argument("--threads", type=int, help="threads of DuckDB")
        one.add_argument("--engine-memory", help="memory of the engine, such as 4g")
        return one

    one = command("ingest", "read captures into a lake; those that are in it already are passed over")
    one.add_argument("input", nargs="+", help="a folder, a file, or a prefix s3a://...")
    one.add_argument("--out", dest="lake", required=True, metavar="LAKE")
    one.add_argument("--pattern", action="append", help="only files of such names; repeatable")
    one.add_argument("--tool", default="peat-inspect")
    one.add_argument("--jobs", type=int, default=1, help="processes that read, in each task")
    one.add_argument("--batch", type=int, default=64, help="captures that are written together")
    one.add_argument("--time-limit", type=int, default=900, help="seconds for a capture")
    one.add_argument("--memory", type=float, default=4096, help="MiB for a process that reads; 0: no limit")
    one.add_argument("--keys", help="secrets for decryption, as peat-inspect --keys")
    one.add_argument("--stream", action="store_true", help="feed files through a pipe, as object storage is read")
    one.add_argument("--bad-limit", type=float, default=0.01, help="share of captures that may be unreadable")
    one.add_argument("-v", "--verbose", action="store_true")
    for name, text in [("state", "the state of each mesh"), ("clocks", "find the captures' clocks, for all questions"),
                       ("report", "a page on each mesh and day")]:
        one = command(name, text)
        one.add_argument("lake")
        if name == "report":
            one.add_argument("-o", "--output", required=True)
    one = command("ask", "ask a question by name, or SQL in a file")
    one.add_argument("lake")
    one.add_argument("question", help=", ".join(questions()) + ", or FILE.sql")
    one.add_argument("-f", "--format", choices=["text", "csv", "ndjson"], default="text")
    options = parser.parse_args(arguments)

    text = None
    if options.command == "ask":
        text = questions().get(options.question)
        if text is None and options.question.endswith(".sql"):
            text = open(options.question, encoding="utf-8").read()
        if text is None:
            parser.error(f"there is no question {options.question}; there are: {', '.join(questions())}")
    try:
        lake = opened(options)
    except ImportError as fault:
        say(f"{fault}; install peat-fleet[{options.engine}]")
        return 2
    try:
        if options.command == "ingest":
            return ingest(lake, options)
        if options.command == "state":
            for one in state.states(lake):
                print(json.dumps(one))
        elif options.command == "clocks":
            print(json.dumps({"clocks": lake.write_clocks(clocks.PAIRS)}))
        elif options.command == "report":
            report.write(lake, questions(), options.output)
        else:
            show(*lake.query(text), options.format)
    except reader.ToolError as fault:
        say(str(fault))
        return 2
    except BrokenPipeError:
        return 0
    finally:
        lake.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
