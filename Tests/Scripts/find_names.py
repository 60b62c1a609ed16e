"""Searches files for everything that a truth file knows of people: find_names.py TRUTH FILE...

Addresses and node ids in both byte orders and as text, callsigns, mesh ids, keys and nonces,
positions as the four bytes of each number and as text, and whole payloads. Looked for as bytes
where the file is a capture, as text elsewhere. Prints {"needles": N, "bytes": N, "found": [...]}.
"""
import json
import re
import struct
import sys

found, needles, texts = [], {}, {}
ADDRESS = re.compile(r"(?:[0-9A-F]{2}:){5}[0-9A-F]{2}")
NODE = re.compile(r"[0-9A-F]{8}")


def both(raw, what):
    needles[raw] = needles[raw[::-1]] = what


def written(text, what):
    for spelling in {text, text.lower(), text.upper()}:
        needles[spelling.encode()] = texts[spelling] = what


def note(key, value):
    if ADDRESS.fullmatch(value):
        both(bytes.fromhex(value.replace(":", "")), f"address {value}")
        written(value, f"address {value}")
    elif NODE.fullmatch(value) and value not in ("00000000", "FFFFFFFF"):
        both(bytes.fromhex(value), f"node {value}")
        written(value, f"node {value}")
    elif key in ("callsign", "mesh", "text", "uid") and len(value) > 3:
        needles[value.encode()] = texts[value] = f"{key} {value}"
    elif key in ("secret_hex", "derived_key_hex", "nonce", "message_id"):
        both(bytes.fromhex(value), f"{key} {value}")
        written(value, f"{key} {value}")
    elif key in ("hex", "plain_hex") and len(set(value)) > 6 and len(value) > 24:
        needles[bytes.fromhex(value)] = f"payload {value}"
        written(value, f"payload {value}")


def walk(value, key=""):
    if isinstance(value, dict):
        for name, item in value.items():
            if NODE.fullmatch(name):
                note("", name)
            walk(item, name)
        for axis in ("lat", "lon"):
            # A receiver's misreading may make a number of any bytes of it.
            if isinstance(value.get(axis), float) and 0.01 < abs(value[axis]) < 181:
                needles[struct.pack("<f", value[axis])] = f"{axis} {value[axis]}"
                texts[f"{value[axis]:.4f}"] = f"{axis} {value[axis]}"
    elif isinstance(value, list):
        for item in value:
            walk(item, key)
    elif isinstance(value, str):
        note(key, value)


with open(sys.argv[1], encoding="utf-8") as file:
    walk(json.load(file))
size = 0
for path in sys.argv[2:]:
    with open(path, "rb") as file:
        data = file.read()
    size += len(data)
    if path.rsplit(".", 1)[-1] in ("pcapng", "pcap", "btsnoop", "sqlite"):
        found += [f"{what} in {path}" for raw, what in needles.items() if raw in data]
    else:
        text = data.decode("utf-8", "replace")
        found += [f"{what} in {path}" for word, what in texts.items() if word in text]
print(json.dumps({"needles": len(needles), "bytes": size, "found": found[:10]}))
