#!/usr/bin/env python3
"""Computes from a truth file how updates spread, apart from the tool.

usage: convergence.py TRUTH FILE... [--rows ROWS]

FILE are names of captures in the truth file, the reference first. ROWS is what
`peat-inspect -f ndjson` printed for them: then order and times are those of the rows, so that the
numbers can be compared to the microsecond; what the messages say comes from the truth in any case.
"""

import argparse
import datetime
import json

import peat_truth
from peat_truth import name


def instant(text):
    """Microseconds since 1970 of 2026-03-01T09:30:29.514403Z."""
    whole = datetime.datetime.fromisoformat(text[:19] + "+00:00")
    return int(whole.timestamp()) * 1_000_000 + int(text[20:26])


def by_rows(truth, found, rows, reference):
    """Puts messages in the order of rows: by bytes, ends and the nearest time."""
    start = truth["start_unix_us"]
    ahead = next(n.get("clock_offset_s") or 0 for n in truth["nodes"] if n["name"] == reference)
    waiting = {}
    for time, seq, entry in found:
        key = (entry["hex"], entry["sender_address"], entry["receiver_address"])
        waiting.setdefault(key, []).append((time, seq, entry))
    result = []
    for line in open(rows):
        row = json.loads(line)
        ends = (row["link"]["local"], row["link"]["peer"])
        if row["direction"] == "received":
            ends = ends[::-1]
        time = instant(row["time"])
        candidates = waiting[(row["payload"],) + ends]
        true_time = (time - start) / 1e6 - ahead
        best = min(candidates, key=lambda item: abs(item[0] - true_time))
        candidates.remove(best)
        result.append((time, best[1], best[2]))
    assert not any(waiting.values())
    return result


def updates(found):
    """Every update with its first message and the first message of each other node."""
    result = []
    highest = {}
    seen = []
    holding = {}
    cleared = {}
    undone = {}
    emergencies = set()
    acks = set()
    ends = {}
    links = {}
    for time, seq, entry in found:
        document = peat_truth.Document(bytes.fromhex(entry["hex"]))
        author = document.node
        if author not in seen:
            seen.append(author)

        def add(text, origin, test):
            result.append(
                {
                    "update": text,
                    "origin": origin,
                    "test": test,
                    "first": (time, seq),
                    "author": author,
                    "then": list(seen),
                    "known": {},
                }
            )

        for node, count in sorted(document.counter.items()):
            if count > highest.get(node, 0):
                highest[node] = count
                add(
                    "counter:%s=%d" % (name(node), count),
                    node,
                    lambda d, node=node, count=count: d.counter.get(node, 0) >= count,
                )
        event = document.emergency
        if event is None:
            if holding.get(author):
                cleared[author] = holding.pop(author)
        else:
            text = "%s@%d" % (name(event[0]), event[1])
            if event not in emergencies:
                emergencies.add(event)
                add("emergency:" + text, event[0], lambda d, e=event: d.emergency == e)
            for node, is_acked in sorted(document.acks.items()):
                if is_acked and (node, event) not in acks:
                    acks.add((node, event))
                    add(
                        "ack:%s=%s" % (name(node), text),
                        node,
                        lambda d, n=node, e=event: d.emergency == e and d.acks.get(n, False),
                    )
            if cleared.pop(author, None) == event:
                add(
                    "undone-clear:%s=%s" % (name(author), text),
                    author,
                    lambda d, e=event: d.emergency == e,
                )
            holding[author] = event
        for update in result:
            if author != update["origin"] and author not in update["known"]:
                if update["test"](document):
                    update["known"][author] = (time, seq)
        # What the two ends hold: the sender what it sends, the receiver what it is told.
        pair = (entry["sender_address"], entry["receiver_address"])
        told = {index for index, update in enumerate(result) if update["test"](document)}
        news = told - ends.get(pair[1], set())
        for end in pair:
            ends.setdefault(end, set()).update(told)
        link = links.setdefault(pair, {"messages": 0, "bytes": 0, "useful": 0, "useful_bytes": 0})
        link["messages"] += 1
        link["bytes"] += entry["length"]
        link["useful"] += bool(news)
        link["useful_bytes"] += entry["length"] if news else 0
    return result, seen, links


def quantiles(spans):
    spans = sorted(spans)
    if not spans:
        return None
    count = len(spans)
    middle = (spans[(count - 1) // 2] + spans[count // 2]) / 2
    return {
        "count": count,
        "median": middle,
        "p95": spans[-(-count * 95 // 100) - 1],
        "worst": spans[-1],
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("truth")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--rows")
    options = parser.parse_args()
    truth = peat_truth.load(options.truth)
    found = peat_truth.messages(truth, options.files)
    scale = 1
    if options.rows:
        reference = next(
            c["recorded_node"] for c in truth["captures"] if c["file"] == options.files[0]
        )
        found = by_rows(truth, found, options.rows, reference)
        scale = 1e-6
    spread, nodes, links = updates(found)
    delays = []
    to_all = []
    by_node = {node: [] for node in nodes}
    missed = {node: 0 for node in nodes}
    records = []
    for update in spread:
        first = update["first"][0]
        present = [node for node in update["then"] if node != update["origin"]]
        never = sorted(node for node in present if node not in update["known"])
        span = None
        if present and not never:
            span = max(update["known"][node][0] - first for node in present) * scale
            to_all.append(span)
        for node, (time, _) in update["known"].items():
            delays.append((time - first) * scale)
            by_node[node].append((time - first) * scale)
        for node in never:
            missed[node] += 1
        records.append(
            {
                "update": update["update"],
                "origin": name(update["origin"]),
                "author": name(update["author"]),
                "time": first,
                "seq": update["first"][1],
                "known_by": [
                    {"node": name(node), "time": time, "seq": seq, "delay": (time - first) * scale}
                    for node, (time, seq) in update["known"].items()
                ],
                "time_to_all": span,
                "never": [name(node) for node in never],
            }
        )
    total = sum(entry["length"] for _, _, entry in found)
    print(
        json.dumps(
            {
                "updates": records,
                "nodes": [
                    {
                        "node": name(node),
                        "learnt": len(by_node[node]),
                        "missed": missed[node],
                        "delay": quantiles(by_node[node]),
                    }
                    for node in sorted(nodes)
                ],
                "summary": {
                    "nodes": len(nodes),
                    "updates": len(spread),
                    "complete": len(to_all),
                    "delay": quantiles(delays),
                    "time_to_all": quantiles(to_all),
                    "messages": len(found),
                    "bytes": total,
                    "bytes_per_update": total / len(spread),
                    "redundant_messages": sum(l["messages"] - l["useful"] for l in links.values()),
                    "redundant_bytes": sum(l["bytes"] - l["useful_bytes"] for l in links.values()),
                },
                "links": [dict(link, ends=list(pair)) for pair, link in links.items()],
                "order": [seq for _, seq, _ in found],
            }
        )
    )


main()
