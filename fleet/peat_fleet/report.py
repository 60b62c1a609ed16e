"""A page on a fleet: per mesh and day what was recorded, and every question's answer. From the lake alone."""
import html
import os

COVERED = """SELECT c.mesh, c.day, count(*) AS captures, sum(c.messages) AS messages,
  count(DISTINCT c.recorder_node) AS recorders,
  sum(CASE WHEN c.outcome = 'whole' THEN 0 ELSE 1 END) AS not_whole
FROM capture c GROUP BY c.mesh, c.day ORDER BY c.mesh, c.day"""
BAD = """SELECT file, outcome, position, reason FROM capture WHERE outcome <> 'whole' ORDER BY file LIMIT 1000"""
ROWS = 200

STYLE = """body{font:14px system-ui,sans-serif;margin:2em auto;max-width:75em;padding:0 1em;color:#222;background:#fff}
table{border-collapse:collapse;margin:1em 0}th,td{padding:.2em .7em;border-bottom:1px solid #ddd;text-align:left;
font-variant-numeric:tabular-nums}th{background:#f4f4f4}caption{text-align:left;color:#666}
@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}th{background:#262626}td,th{border-color:#444}}"""


def cell(value):
    text = "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
    # What strangers' radios sent is shown, and neither acts nor hides.
    return html.escape("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text))


def table(columns, rows):
    more = f"<caption>the first {ROWS} of {len(rows)}</caption>" if len(rows) > ROWS else ""
    head = "".join(f"<th>{cell(c)}</th>" for c in columns)
    body = "".join("<tr>" + "".join(f"<td>{cell(v)}</td>" for v in row) + "</tr>" for row in rows[:ROWS])
    return f"<table>{more}<tr>{head}</tr>{body}</table>" if rows else "<p>none</p>"


def title(text):
    return next((line[3:] for line in text.splitlines() if line.startswith("-- ")), "")


def write(lake, questions, path):
    parts = ["<h2>Meshes and days</h2>", table(*lake.query(COVERED)), "<h2>Captures that are not whole</h2>",
             table(*lake.query(BAD))]
    for name, text in questions.items():
        parts += [f"<h2 id='{cell(name)}'>{cell(title(text) or name)}</h2>", table(*lake.query(text))]
    page = (f"<!doctype html><html lang='en'><meta charset='utf-8'><meta http-equiv='Content-Security-Policy' "
            f"content=\"default-src 'none'; style-src 'unsafe-inline'\"><title>Fleet</title><style>{STYLE}</style>"
            f"<h1>Fleet</h1>{''.join(parts)}</html>\n")
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(page)
    os.replace(path + ".part", path)
