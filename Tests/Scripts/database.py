"""Reads a database of `-f sqlite` with Python's own SQLite and compares it with the CSV of the same capture.

database.py DATABASE CSV FINDINGS: prints what it found as JSON; `problems` is empty where all agrees. FINDINGS
are the records of `check -v -f ndjson` of the same captures.
"""

import csv
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


def main(database, table, findings):
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
    counts = {}
    for name in ("capture", "link", "message", "counter", "acknowledgement", "finding", "update_spread"):
        counts[name] = connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
    for view in ("slowest_update", "finding_count"):
        connection.execute(f"SELECT * FROM {view}").fetchall()
    print(json.dumps({"problems": problems[:20], "counts": counts}))


main(*sys.argv[1:])
