"""Compares NDJSON of a capture with that of its anonymised copy: same_but_names.py BEFORE AFTER.

Names are what anonymising replaces: nodes, addresses, texts, places, files, bytes of payloads.
Of these only the pattern is compared: equal ones by equal ones, different ones by different ones.
Everything else is the same. Prints {"records": N, "names": N, "problems": [...]}.
"""
import json
import re
import sys

NODE = re.compile(r"\b[0-9A-F]{8}\b")
ADDRESS = re.compile(r"\b(?:[0-9A-F]{2}:){5}[0-9A-F]{2}\b")
# Free words, and what has no pattern to be compared.
LEFT_OUT = {"payload", "plain", "latitude", "longitude", "altitude", "geohash", "message", "file",
            "nonce", "message_id", "public_key", "callsign", "text", "sender", "decrypted_with",
            "name", "uid", "offset", "signature", "id", "mesh",
            "verdict", "trailing"}


def hidden(text):
    text = re.sub(r"(latitude|longitude) [-0-9.e]+ is", r"\1 is", text)
    return ADDRESS.sub("<address>", NODE.sub("<node>", text))


def canon(value, key=""):
    """Without names; what is ordered by names is put in an order of its own."""
    if isinstance(value, dict):
        pairs = [[hidden(k), canon(v, k)] for k, v in value.items() if k not in LEFT_OUT]
        return sorted(pairs, key=json.dumps)
    if isinstance(value, list):
        return sorted((canon(item, key) for item in value), key=json.dumps)
    if isinstance(value, str):
        return hidden(value)
    return value


def rows(path):
    with open(path, encoding="utf-8") as file:
        records = [json.loads(line) for line in file if line.strip()]
    # What a copy cannot say in the words of the original: that its bytes were damaged.
    return [r for r in records if r.get("scope") != "anonymized"
            and not str(r.get("message", "")).startswith("the recorder lost")]


def names(value, key=""):
    """Every name with its place, in the order of the record."""
    if isinstance(value, dict):
        if key in ("counter", "acks"):
            return []
        return [pair for k, v in value.items() for pair in names(v, k)]
    if isinstance(value, str) and key in ("node", "origin", "peer", "local", "callsign", "source"):
        return [(key if key == "callsign" else "name", value)]
    return []


before, after = rows(sys.argv[1]), rows(sys.argv[2])
problems = []
if len(before) != len(after):
    problems.append(f"{len(before)} records against {len(after)}")
left = sorted(json.dumps(canon(r)) for r in before)
right = sorted(json.dumps(canon(r)) for r in after)
for one, other in zip(left, right):
    if one != other:
        problems.append(f"{one[:800]} against {other[:800]}")
mapped, taken = {}, {}
if before and "frame" in before[0] and "document" in json.dumps(before):
    for one, other in zip(before, after):
        for (kind, name), (_, new) in zip(names(one), names(other)):
            if mapped.setdefault((kind, name), new) != new:
                problems.append(f"{name} is {mapped[kind, name]} and {new}")
            if taken.setdefault((kind, new), name) != name:
                problems.append(f"{new} is {taken[kind, new]} and {name}")
            if name == new and name not in ("", "00000000", "FFFFFFFF"):
                problems.append(f"{name} stays")
print(json.dumps({"records": len(before), "names": len(mapped), "problems": problems[:10]}))
