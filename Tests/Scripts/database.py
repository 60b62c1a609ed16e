"""Reads a database of `-f sqlite` with Python's own SQLite and compares it with the CSV of the same capture.

database.py DATABASE CSV FINDINGS EMERGENCIES: prints what it found as JSON; `problems` is empty where all agrees. FINDINGS
are the records of `check -v -f ndjson` of the same captures, EMERGENCIES those of `emergencies -f ndjson`.
"""

import csv
import datetime
import json
import sqlite3
import sys

TEXT_BOOLEANS = {"true": 1, "false": 0}


def same(column, text, value):
    """Whether a field of the CSV says what the database holds."""
    if value is None and column != "findings":
        return text == ""
    if column == "changed":
        return TEXT_BOOLEANS[text] == value
    if column in ("elapsed", "latitude", "longitude", "altitude", "accuracy"):
        # The CSV has the shortest decimal of a 32-bit float, the database the float.
        return abs(float(text) - value) <= 1e-5 * max(1, abs(value))
    if column == "findings":
        # Rows come before it is known that the recorder's clock is wrong, and not the nodes'.
        found, told = (value or "").split(";"), text.split(";")
        return sorted(found) in (sorted(told), sorted(code for code in told if code != "clock-skew"))
    return text.replace("0x", "") == str(value)


def differing_findings(connection, path):
    """Codes of findings by capture that only one of database and `check` tells, and nodes blamed by one only."""
    with open(path, encoding="utf-8") as file:
        told = [json.loads(line) for line in file if line.strip()]
    for query, known in (
        ("SELECT DISTINCT file, code FROM finding", {(item["file"], item["code"]) for item in told}),
        (
            "SELECT DISTINCT file, node FROM finding WHERE code = 'clock-skew'",
            {(item["file"], item["node"]) for item in told if item["code"] == "clock-skew"},
        ),
    ):
        # `check` leaves the steps of a clock to the notices that tell each of them.
        found = {row for row in connection.execute(query)}
        yield from (f"only the database tells {item}" for item in sorted(found - known))
        yield from (f"only check tells {item}" for item in sorted(known - found))


def seconds(one, other):
    """From one UTC time of the records to another."""
    return (datetime.datetime.fromisoformat(other) - datetime.datetime.fromisoformat(one)).total_seconds()


def differing_emergencies(connection, path):
    """Where the tables of emergencies, or the views on them, say something else than the records."""
    with open(path, encoding="utf-8") as file:
        told = [json.loads(line) for line in file if line.strip()]
    rows = lambda query, *values: connection.execute(query, values).fetchall()
    if [(str(item["stamp"]), item["verdict"]) for item in told] != [(str(stamp), verdict) for stamp, verdict in rows("SELECT stamp, verdict FROM emergency ORDER BY id")]:
        yield "emergencies or verdicts differ"
    for number, item in enumerate(told, 1):
        nodes = [(node["node"], node["outcome"], node.get("why"), node.get("text"), node.get("carried", {}).get("time"), node.get("acked", {}).get("time"), node.get("acked", {}).get("through")) for node in item["nodes"]]
        found = rows("SELECT node, outcome, why, text, carried, acked, through FROM emergency_node WHERE emergency = ? ORDER BY node", number)
        if nodes != found:
            yield f"nodes of emergency {number}: {found} are not {nodes}"
        # Those that are asked for: of others only counters tell.
        lacking = {node["node"] for node in item["nodes"] if node["outcome"] != "acked"}
        shown = {row[0] for row in rows("SELECT node FROM never_acked WHERE emergency = ?", number)}
        for node in lacking ^ shown:
            if (node, 0) not in rows("SELECT node, audience FROM emergency_node WHERE emergency = ?", number):
                yield f"never_acked of emergency {number} and the records differ in {node}"
        spans = {node["node"]: max(0, seconds(item["raised"], node["acked"]["time"])) for node in item["nodes"] if node.get("acked", {}).get("time") and "raised" in item}
        for node, span in rows("SELECT node, seconds FROM acknowledgement_time WHERE emergency = ?", number):
            if abs(spans.get(node, -1) - max(0, span)) > 0.002:
                yield f"acknowledgement_time of {node}: {span} is not {spans.get(node)}"
        downs = sorted((node["node"], gap["link"], gap["from"], gap.get("until"), gap.get("reason")) for node in item["nodes"] for gap in node.get("down", []))
        found = sorted(rows("SELECT node, link, down, up, reason FROM link_down_in_emergency WHERE emergency = ?", number))
        if downs != found:
            yield f"link_down_in_emergency {number}: {found} are not {downs}"


def differing_updates(connection):
    """Where the views on updates do not add up with their table."""
    told = {}
    for update, first, node, known, delay in connection.execute('SELECT "update", first, node, known, delay FROM update_spread WHERE node IS NOT NULL'):
        entry = told.setdefault((update, first), [0, 0, None])
        entry[0 if known else 1] += 1
        if delay is not None:
            entry[2] = delay if entry[2] is None else max(entry[2], delay)
    shown = {(update, first): [knew, never, delay] for update, first, knew, never, delay in connection.execute('SELECT "update", first, knew, never, delay FROM slowest_update')}
    if told != shown:
        yield "slowest_update does not add up"
    unfinished = {(update, first): never for update, first, never in connection.execute('SELECT "update", first, never FROM unfinished_update')}
    if unfinished != {key: entry[1] for key, entry in told.items() if entry[1]}:
        yield "unfinished_update does not add up"


def main(database, table, findings, emergencies):
    connection = sqlite3.connect(database)
    problems = [row[0] for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
    problems += [f"foreign key: {row}" for row in connection.execute("PRAGMA foreign_key_check")]
    cursor = connection.execute("SELECT * FROM timeline")
    columns = [entry[0] for entry in cursor.description]
    rows = cursor.fetchall()
    with open(table, newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    if columns != lines[0]:
        problems.append(f"columns {columns} are not {lines[0]}")
    if len(rows) != len(lines) - 1:
        problems.append(f"{len(rows)} rows, the CSV has {len(lines) - 1}")
    for number, (row, line) in enumerate(zip(rows, lines[1:])):
        for column, value, text in zip(columns, row, line):
            if not same(column, text, value):
                problems.append(f"row {number}, {column}: {value!r} is not {text!r}")
    problems += differing_findings(connection, findings)
    problems += differing_emergencies(connection, emergencies)
    problems += differing_updates(connection)
    counts = {}
    for name in ("capture", "link", "message", "counter", "acknowledgement", "finding", "update_spread", "emergency"):
        counts[name] = connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
    for (view,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
        connection.execute(f"SELECT * FROM {view}").fetchall()
    messages = counts["message"]
    for view in ("node_activity", "link_use"):
        total = connection.execute(f"SELECT coalesce(sum(messages), 0) FROM {view}").fetchone()[0]
        if total > messages:
            problems.append(f"{view} counts {total} of {messages} messages")
    print(json.dumps({"problems": problems[:20], "counts": counts}))


main(*sys.argv[1:])
