#!/usr/bin/env python3
"""Writes captures of firmware upgrades over SMP into a folder, with what was sent in expect.json.

    make_upgrades.py FOLDER

The encoder knows nothing of peat-inspect: it follows the Bluetooth Core Specification (HCI H4,
L2CAP, ATT) and docs/upgrades.md, "On the wire". Each scenario is a capture of one or more phones.
"""
import hashlib
import json
import struct
import sys

SERVICE = bytes.fromhex("84AA6074528A8B86D34CB71D1DDC538D")
VALUE = bytes.fromhex("487C997411269EAE014ECEFB28782EDA")
START = 1796256000_000000  # microseconds since 1970
EPOCH = 0x00DCDDB30F2F8000


def cbor(value, indefinite=False):
    def head(major, number):
        if number < 24:
            return bytes([major << 5 | number])
        for code, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
            if number < 1 << 8 * size:
                return bytes([major << 5 | code]) + number.to_bytes(size, "big")

    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(cbor(v, indefinite) for v in value)
    body = b"".join(cbor(k) + cbor(v, indefinite) for k, v in value.items())
    return b"\xbf" + body + b"\xff" if indefinite else head(5, len(value)) + body


def spelled(value):
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, list):
        return [spelled(v) for v in value]
    if isinstance(value, dict):
        return {k: spelled(v) for k, v in value.items()}
    return value


class Capture:
    def __init__(self):
        self.frames = []
        self.now = START
        self.messages = []

    def packet(self, data, sent, kind):
        self.now += 7500
        flags = (0 if sent else 1) | (2 if kind in (1, 4) else 0)
        whole = bytes([kind]) + data
        self.frames.append((whole, flags, self.now))
        return len(self.frames)

    def command(self, data):
        return self.packet(data, True, 1)

    def event(self, data):
        return self.packet(data, False, 4)

    def bytes(self):
        out = b"btsnoop\0" + struct.pack(">II", 1, 1002)
        for data, flags, now in self.frames:
            out += struct.pack(">IIIIq", len(data), len(data), flags, 0, now + EPOCH)
            out += data
        return out


class Link:
    """A connection of the phone to a board."""

    def __init__(self, capture, handle, address, mtu=247, interval=24, kind=1, discover=True):
        self.capture, self.handle, self.mtu = capture, handle, mtu
        peer = bytes.fromhex(address.replace(":", ""))[::-1]
        capture.event(
            b"\x3e\x13\x01\x00" + struct.pack("<H", handle) + b"\0" + bytes([kind]) + peer
            + struct.pack("<HHHB", interval, 0, 500, 0))
        if mtu != 23:
            self.att(b"\x02" + struct.pack("<H", mtu), True)
            self.att(b"\x03" + struct.pack("<H", mtu), False)
        self.value = 0x12
        if discover:
            self.att(b"\x10\x01\x00\xff\xff\x00\x28", True)
            self.att(b"\x11\x14" + struct.pack("<HH", 0x10, 0x13) + SERVICE, False)
            self.att(b"\x08\x10\x00\x13\x00\x03\x28", True)
            self.att(b"\x09\x15" + struct.pack("<HBH", 0x11, 0x14, 0x12) + VALUE, False)
            self.att(b"\x12\x13\x00\x01\x00", True)
            self.att(b"\x13", False)

    def att(self, pdu, sent):
        acl = struct.pack("<HHHH", self.handle | (0 if sent else 0x2000), len(pdu) + 4, len(pdu), 4)
        return self.capture.packet(acl + pdu, sent, 2)

    def disconnect(self, reason=0x08):
        self.capture.event(b"\x05\x04\x00" + struct.pack("<H", self.handle) + bytes([reason]))

    def pieces(self, data):
        size = self.mtu - 3
        return [data[i:i + size] for i in range(0, len(data), size)]

    def send(self, data, how="command"):
        handle = struct.pack("<H", self.value)
        if how == "long":
            frames = []
            size = self.mtu - 5
            for at in range(0, len(data), size):
                part = handle + struct.pack("<H", at) + data[at:at + size]
                frames.append(self.att(b"\x16" + part, True))
                self.att(b"\x17" + part, False)
            frames.append(self.att(b"\x18\x01", True))
            self.att(b"\x19", False)
            return frames
        if how == "request":
            frames = []
            for piece in self.pieces(data):
                frames.append(self.att(b"\x12" + handle + piece, True))
                self.att(b"\x13", False)
            return frames
        return [self.att(b"\x52" + handle + piece, True) for piece in self.pieces(data)]

    def notify(self, data, opcode=b"\x1b"):
        frames = []
        for piece in self.pieces(data):
            frames.append(self.att(opcode + struct.pack("<H", self.value) + piece, False))
            if opcode == b"\x1d":
                self.att(b"\x1e", True)
        return frames


OPS = {"read": 0, "read_response": 1, "write": 2, "write_response": 3}


class Client:
    """Numbers requests; writes down each message with the frames it lies in."""

    def __init__(self, link, sequence=0, version=2):
        self.link, self.sequence, self.version = link, sequence, version

    def pdu(self, op, group, command, body, sequence, version, raw=None, indefinite=False):
        data = raw if raw is not None else cbor(body, indefinite)
        return struct.pack(
            ">BBHHBB", (version - 1) << 3 | OPS[op], 0, len(data), group, sequence, command) + data

    def note(self, frames, op, group, command, body, sequence, version):
        self.link.capture.messages.append({
            "frames": frames, "direction": "received" if "response" in op else "sent", "op": op,
            "version": version, "group": group, "command": command, "sequence": sequence,
            "body": spelled(body)})

    def ask(self, op, group, command, body, how="command", version=None, empty=False):
        sequence, version = self.sequence, version or self.version
        self.sequence = (self.sequence + 1) % 256
        data = self.pdu(op, group, command, body, sequence, version, b"" if empty else None)
        frames = self.link.send(data, how)
        self.note(frames, op, group, command, body, sequence, version)
        return sequence

    def answer(self, sequence, op, group, command, body, opcode=b"\x1b", version=None, split=None):
        version = version or self.version
        data = self.pdu(op + "_response", group, command, body, sequence, version, None, True)
        if split:
            frames = [f for part in (data[:split], data[split:]) for f in self.link.notify(part, opcode)]
        else:
            frames = self.link.notify(data, opcode)
        self.note(frames, op + "_response", group, command, body, sequence, version)

    def both(self, op, group, command, body, answer, **how):
        self.answer(self.ask(op, group, command, body, **how), op, group, command, answer)

    # What managers do.

    def list(self, *images):
        self.both("read", 1, 0, {}, {"images": list(images), "splitStatus": 0})

    def upload(self, image, begin=0, end=None, size=400, number=None, how="command", silent=False):
        sha = hashlib.sha256(image).digest()
        offset = begin
        while offset < (end or len(image)):
            data = image[offset:offset + size]
            body = {"off": offset, "data": data}
            if offset == begin:
                body = {"off": offset, "data": data, "len": len(image), "sha": sha}
                if number is not None:
                    body["image"] = number
            elif number is not None:
                body["image"] = number
            sequence = self.ask("write", 1, 1, body, how=how)
            offset += len(data)
            answer = {"rc": 0, "off": offset} if self.version == 1 else {"off": offset}
            if offset == len(image):
                answer["match"] = True
            if not silent:
                self.answer(sequence, "write", 1, 1, answer)

    def mark(self, hash_, confirm, *images):
        body = {"confirm": confirm}
        if hash_:
            body = {"hash": hash_, "confirm": confirm}
        self.both("write", 1, 0, body, {"images": list(images)})

    def reset(self, answered=True):
        sequence = self.ask("write", 0, 5, {})
        if answered:
            self.answer(sequence, "write", 0, 5, {})


def image(version, size, seed):
    major, minor, revision, build = version
    head = struct.pack(
        "<IIHHIIBBHII", 0x96F3B83D, 0, 32, 0, size - 32 - 40, 0, major, minor, revision, build, 0)
    body = b""
    while len(body) < size:
        body += hashlib.sha256(seed + len(body).to_bytes(4, "big")).digest()
    return (head + body)[:size]


def slot(number, version, hash_, image=0, **flags):
    entry = {"slot": number, "version": version, "hash": hash_}
    if image:
        entry = {"image": image, **entry}
    return {**entry, **{name: True for name in flags if flags[name]}}


OLD = hashlib.sha256(b"old").digest()
NEW = hashlib.sha256(b"new").digest()
IMAGE = image((2, 1, 3, 0), 6000, b"image")
A, B = "C2:5A:11:00:00:0A", "C2:5A:11:00:00:0B"
old = slot(0, "2.0.0", OLD, active=True, confirmed=True)
fresh = slot(1, "2.1.3", NEW)


def start(client):
    client.list(old)


def confirm_only():
    c = Capture()
    client = Client(Link(c, 0x40, A), version=1)
    start(client)
    client.upload(IMAGE)
    client.mark(NEW, True, old, slot(1, "2.1.3", NEW, pending=True, permanent=True))
    client.reset()
    client.link.disconnect(0x13)
    c.now += 8_000_000
    client.link = Link(c, 0x41, A)
    client.list(slot(0, "2.1.3", NEW, active=True, confirmed=True), slot(1, "2.0.0", OLD))
    return c, [dict(device=A, mode="confirmOnly", outcome="confirmed", confirmed=True,
                    acknowledged=6000, complete=True, version="2.1.3", links=2)]


def test_only():
    c = Capture()
    client = Client(Link(c, 0x40, A))
    start(client)
    client.upload(IMAGE)
    client.mark(NEW, False, old, slot(1, "2.1.3", NEW, pending=True))
    client.reset()
    client.link.disconnect(0x13)
    c.now += 8_000_000
    client.link = Link(c, 0x41, A)
    client.list(slot(0, "2.1.3", NEW, active=True), slot(1, "2.0.0", OLD, confirmed=True))
    return c, [dict(device=A, mode="testOnly", outcome="not_confirmed", confirmed=False,
                    acknowledged=6000, complete=True, codes=["smp-not-confirmed"])]


def reverted():
    c = Capture()
    client = Client(Link(c, 0x40, A))
    start(client)
    client.upload(IMAGE)
    client.mark(NEW, False, old, slot(1, "2.1.3", NEW, pending=True))
    client.reset()
    client.link.disconnect(0x08)
    c.now += 8_000_000
    client.link = Link(c, 0x41, A)
    client.list(old, fresh)
    return c, [dict(device=A, mode="testOnly", outcome="reverted", confirmed=False,
                    codes=["smp-reverted"])]


def upload_only():
    c = Capture()
    client = Client(Link(c, 0x40, A))
    client.upload(IMAGE)
    client.reset()
    client.link.disconnect(0x13)
    return c, [dict(device=A, mode="uploadOnly", outcome="uploaded", acknowledged=6000,
                    complete=True)]


def test_not_seen_again():
    c = Capture()
    client = Client(Link(c, 0x40, A))
    start(client)
    client.upload(IMAGE)
    client.mark(NEW, False, old, slot(1, "2.1.3", NEW, pending=True))
    client.reset(answered=False)
    client.link.disconnect(0x08)
    return c, [dict(device=A, mode="testOnly", outcome="not_seen_again",
                    codes=["smp-no-return"])]


def resumed():
    """The connection is lost at 2800; the server knows the image again; the sequence wraps."""
    c = Capture()
    client = Client(Link(c, 0x40, A), sequence=250)
    start(client)
    client.upload(IMAGE, end=2800)
    client.link.disconnect(0x08)
    c.now += 5_000_000
    client.link = Link(c, 0x41, A)
    sha = hashlib.sha256(IMAGE).digest()
    sequence = client.ask(
        "write", 1, 1, {"off": 0, "data": IMAGE[:400], "len": 6000, "sha": sha})
    client.answer(sequence, "write", 1, 1, {"off": 2800})
    client.upload(IMAGE, begin=2800)
    client.mark(NEW, True, old, slot(1, "2.1.3", NEW, pending=True, permanent=True))
    return c, [dict(device=A, mode="confirmOnly", outcome="pending", acknowledged=6000,
                    complete=True, resumes=1, links=2, codes=["smp-upload-short", "smp-resumed"])]


def rewinds():
    """Four requests are under way; the server lost one, and wants it again; it gets stuck later."""
    c = Capture()
    client = Client(Link(c, 0x40, A))
    client.upload(IMAGE, end=1600)
    parts = [IMAGE[at:at + 400] for at in range(1600, 3200, 400)]
    asked = [client.ask("write", 1, 1, {"off": 1600 + 400 * i, "data": part})
             for i, part in enumerate(parts)]
    client.answer(asked[0], "write", 1, 1, {"off": 2000})
    for sequence in asked[2:]:
        client.answer(sequence, "write", 1, 1, {"off": 2000})
    client.answer(asked[1], "write", 1, 1, {"off": 2000})
    for _ in range(4):
        sequence = client.ask("write", 1, 1, {"off": 2000, "data": IMAGE[2000:2400]})
        client.answer(sequence, "write", 1, 1, {"off": 2000})
    client.link.disconnect(0x13)
    return c, [dict(device=A, mode=None, outcome="stopped", acknowledged=2000, complete=False,
                    confirmed=False,
                    codes=["smp-offset-rewind", "smp-upload-repeated", "smp-upload-short"])]


def two_boards():
    """Two uploads at once on two links, in turns, with the same numbers."""
    c = Capture()
    one, two = Client(Link(c, 0x40, A)), Client(Link(c, 0x41, B, mtu=185))
    other = image((9, 0, 1, 7), 3000, b"other")
    sha = [hashlib.sha256(IMAGE).digest(), hashlib.sha256(other).digest()]
    for at in range(0, 6000, 400):
        asked = []
        for client, whole, hash_ in ((one, IMAGE, sha[0]), (two, other, sha[1])):
            if at < len(whole):
                body = {"off": at, "data": whole[at:at + 400]}
                if at == 0:
                    body.update(len=len(whole), sha=hash_)
                # The first value of each request comes before the second of the other.
                asked.append((client, whole, client.ask("write", 1, 1, body)))
        for client, whole, sequence in reversed(asked):
            end = min(at + 400, len(whole))
            client.answer(sequence, "write", 1, 1,
                          {"off": end, **({"match": True} if end == len(whole) else {})})
    one.mark(NEW, True, old, slot(1, "2.1.3", NEW, pending=True, permanent=True))
    two.link.disconnect(0x13)
    return c, [dict(device=A, mode="confirmOnly", outcome="pending", acknowledged=6000,
                    complete=True, version="2.1.3"),
               dict(device=B, mode="uploadOnly", outcome="uploaded", acknowledged=3000,
                    complete=True, version="9.0.1+7")]


def interleaved():
    """The values of two links' requests in turns."""
    c = Capture()
    clients = [Client(Link(c, 0x40, A)), Client(Link(c, 0x41, B))]
    for at in range(0, 1200, 400):
        data = []
        for client in clients:
            body = {"off": at, "data": IMAGE[at:at + 400]}
            if at == 0:
                body.update(len=1200, sha=hashlib.sha256(IMAGE[:1200]).digest())
            pdu = client.pdu("write", 1, 1, body, client.sequence, 2)
            data.append((client, body, pdu, client.link.pieces(pdu), []))
        for step in range(max(len(d[3]) for d in data)):
            for client, _, _, pieces, frames in data:
                if step < len(pieces):
                    frames.append(client.link.att(
                        b"\x52" + struct.pack("<H", 0x12) + pieces[step], True))
        for client, body, _, _, frames in data:
            client.note(frames, "write", 1, 1, body, client.sequence, 2)
        for client, body, _, _, _ in data:
            client.answer(client.sequence, "write", 1, 1, {"off": min(at + 400, 1200)})
            client.sequence += 1
    return c, [dict(device=d, mode="uploadOnly", outcome="uploaded", acknowledged=1200,
                    complete=True) for d in (A, B)]


def slow():
    """MTU 23 and an interval of 100 ms."""
    c = Capture()
    client = Client(Link(c, 0x40, A, mtu=23, interval=80))
    whole = image((1, 0, 0, 0), 3000, b"slow")
    sha = hashlib.sha256(whole).digest()
    for at in range(0, 3000, 60):
        body = {"off": at, "data": whole[at:at + 60]}
        if at == 0:
            body.update(len=3000, sha=sha)
        sequence = client.ask("write", 1, 1, body)
        c.now += 300_000
        client.answer(sequence, "write", 1, 1, {"off": at + 60})
    return c, [dict(device=A, mode="uploadOnly", outcome="uploaded", acknowledged=3000,
                    complete=True, mtu=23, codes=["smp-slow"])]


def mismatch():
    c = Capture()
    client = Client(Link(c, 0x40, A))
    start(client)
    client.upload(IMAGE, end=5600)
    sequence = client.ask("write", 1, 1, {"off": 5600, "data": IMAGE[5600:]})
    client.answer(sequence, "write", 1, 1, {"off": 6000, "match": False})
    sequence = client.ask("write", 1, 0, {"hash": NEW, "confirm": False})
    client.answer(sequence, "write", 1, 0, {"err": {"group": 1, "rc": 8}})
    return c, [dict(device=A, mode="uploadOnly", outcome="refused", confirmed=False,
                    codes=["smp-hash-mismatch", "smp-refused"])]


def refusals():
    """Both forms; groups that have no name; requests without a body; a reset refused."""
    c = Capture()
    client = Client(Link(c, 0x40, A))
    sequence = client.ask("write", 0, 0, {"d": "häll"})
    client.answer(sequence, "write", 0, 0, {"r": "häll"})
    sequence = client.ask("read", 1, 0, {}, empty=True, version=1)
    client.answer(sequence, "read", 1, 0, {"rc": 6}, version=1)
    sequence = client.ask("write", 77, 3, {"x": [1, -2, {"y": True}], "z": b"\x01\x02"})
    client.answer(sequence, "write", 77, 3, {"rc": 8}, version=1)
    sequence = client.ask("read", 66, 9, {})
    client.answer(sequence, "read", 66, 9, {"err": {"group": 66, "rc": 4}})
    sequence = client.ask("write", 8, 0, {"name": "/lfs/a.txt", "off": 0, "data": b"abc", "len": 3})
    client.answer(sequence, "write", 8, 0, {"err": {"group": 8, "rc": 3}})
    sequence = client.ask("write", 9, 0, {"argv": ["kernel", "uptime"]})
    client.answer(sequence, "write", 9, 0, {"o": "Uptime: 5 ms\n" * 40, "ret": 0}, split=200)
    sequence = client.ask("write", 0, 5, {"force": 1}, version=1)
    client.answer(sequence, "write", 0, 5, {"rc": 10, "rsn": "busy"}, version=1)
    client.link.disconnect(0x13)
    return c, []


def carriers():
    """Long writes, writes with response, indications, a header alone in a value."""
    c = Capture()
    client = Client(Link(c, 0x40, A, mtu=100))
    client.upload(IMAGE[:1200], how="long")
    client.upload(IMAGE[:1600], how="request")
    sequence = client.ask("read", 0, 7, {"format": "v"})
    client.answer(sequence, "read", 0, 7, {"output": "x" * 300}, opcode=b"\x1d")
    sequence = client.ask("read", 0, 7, {"format": "v"})
    client.answer(sequence, "read", 0, 7, {"output": "y"}, split=8)
    return c, [dict(device=A, mode="uploadOnly", outcome="uploaded", acknowledged=1200),
               dict(device=A, mode="uploadOnly", outcome="uploaded", acknowledged=1600)]


def two_images():
    c = Capture()
    client = Client(Link(c, 0x40, A))
    net_old, net = slot(0, "5.0.0", b"\x05" * 32, image=1, active=True, confirmed=True), b"\x06" * 32
    client.list(old, net_old)
    client.upload(IMAGE, number=0)
    client.upload(image((5, 1, 0, 0), 2000, b"net"), number=1)
    client.list(old, fresh, net_old, slot(1, "5.1.0", net, image=1))
    pending = [old, slot(1, "2.1.3", NEW, pending=True), net_old, slot(1, "5.1.0", net, image=1)]
    client.mark(NEW, True, *pending)
    client.mark(net, True, *pending)
    client.reset()
    client.link.disconnect(0x13)
    c.now += 8_000_000
    client.link = Link(c, 0x42, A)
    client.list(slot(0, "2.1.3", NEW, active=True, confirmed=True),
                slot(0, "5.1.0", net, image=1, active=True, confirmed=True))
    return c, [dict(device=A, mode="confirmOnly", outcome="confirmed", confirmed=True, images=2)]


def no_discovery():
    """The capture begins when the handles are known already."""
    c = Capture()
    client = Client(Link(c, 0x40, A, mtu=247, discover=False))
    client.link.value = 0x2A
    start(client)
    client.upload(IMAGE)
    return c, [dict(device=A, mode="uploadOnly", outcome="uploaded", acknowledged=6000,
                    complete=True)]


def unanswered():
    """A request in several writes that a server which does not put parts together never answers."""
    c = Capture()
    client = Client(Link(c, 0x40, A, mtu=65))
    start(client)
    client.upload(IMAGE, end=400, silent=True)
    client.link.disconnect(0x13)
    return c, [dict(device=A, mode=None, outcome="stopped", acknowledged=0, complete=False,
                    codes=["smp-unanswered", "smp-mtu-too-small", "smp-upload-short"])]


def back_again():
    """What follows test_not_seen_again, in a capture of its own."""
    c = Capture()
    c.now += 20_000_000
    client = Client(Link(c, 0x43, A), sequence=90)
    client.list(slot(0, "2.1.3", NEW, active=True), slot(1, "2.0.0", OLD, confirmed=True))
    client.mark(NEW, True, slot(0, "2.1.3", NEW, active=True, confirmed=True),
                slot(1, "2.0.0", OLD))
    return c, [dict(device=A, mode="confirmOnly", outcome="confirmed", confirmed=True)]


def damaged():
    """Bodies that are no map, end too early, have a key twice or bytes behind the map."""
    c = Capture()
    client = Client(Link(c, 0x40, A))
    start(client)
    for raw in (b"\x83\x01\x02\x03", b"\xa1\x61", b"\xa2\x61a\x01\x61a\x02", b"\xa0\x00\x00",
                b"\xbf\x61a\xbf\x61b", b"\xa1\x61a" + b"\x81" * 40 + b"\x00", b"\xa1\x62\xff\xfe\x01"):
        data = client.pdu("read", 1, 0, {}, client.sequence, 2, raw)
        client.link.send(data)
        client.sequence += 1
    # A message that never gets whole, and the next one.
    whole = client.pdu("write", 1, 1, {"off": 0, "data": IMAGE[:600]}, client.sequence, 2)
    client.link.att(b"\x52" + struct.pack("<H", 0x12) + whole[:244], True)
    client.sequence += 1
    client.list(old)
    # Values of no message.
    client.link.send(b"\xff\xfe\xfd")
    client.link.notify(b"hello, world")
    client.list(old)
    return c, []


SCENARIOS = [
    confirm_only, test_only, reverted, upload_only, test_not_seen_again, resumed, rewinds,
    two_boards, interleaved, slow, mismatch, refusals, carriers, two_images, no_discovery,
    unanswered, back_again, damaged,
]


def main(folder):
    expect = {}
    for scenario in SCENARIOS:
        name = scenario.__name__
        capture, upgrades = scenario()
        with open(f"{folder}/{name}.btsnoop", "wb") as file:
            file.write(capture.bytes())
        # Rows come in the order in which messages get whole.
        messages = sorted(capture.messages, key=lambda m: m["frames"][-1])
        expect[name] = {"messages": messages, "upgrades": upgrades}
    with open(f"{folder}/expect.json", "w") as file:
        json.dump(expect, file, separators=(",", ":"))


if __name__ == "__main__":
    main(sys.argv[1])
