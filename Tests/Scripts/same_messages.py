"""Compares the messages of two NDJSON timelines: same_messages.py A B [--names].

What a selection of packets changes is left out: numbers of packets, connections and adapters,
names of files, and what is said of the capture as a whole. Times are compared to the microsecond.
Prints {"messages": N, "problems": [...]}.
"""
import json
import sys

LEFT_OUT = {"file", "frame", "elapsed", "findings", "seen_in", "frames", "adapter"}


def strip(value, key=""):
    if isinstance(value, dict):
        return {k: strip(v, k) for k, v in value.items()
                if k not in LEFT_OUT and not (key == "link" and k == "id")}
    if isinstance(value, list):
        return [strip(item, key) for item in value]
    if key == "time" and isinstance(value, str):
        return value[:26].rstrip("Z")
    return value


def rows(path):
    with open(path, encoding="utf-8") as file:
        return [strip(json.loads(line)) for line in file]


first, second = rows(sys.argv[1]), rows(sys.argv[2])
problems = []
if len(first) != len(second):
    problems.append(f"{len(first)} messages against {len(second)}")
for number, (one, other) in enumerate(zip(first, second)):
    for key in one.keys() | other.keys():
        if one.get(key) != other.get(key):
            problems.append(f"message {number}: {key}: {one.get(key)} against {other.get(key)}")
print(json.dumps({"messages": len(first), "problems": problems[:10]}))
