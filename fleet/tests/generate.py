"""A small fleet with a truth: captures of phones whose clocks are wrong in known ways, and planted cases.

Written from docs/protocol.md and docs/formats.md alone, so that the tool and its truth have nothing in common."""
import os
import random
import struct

START = 1_772_360_000_000_000          # 2026-03-01T10:13:20Z, microseconds
LATENCY = 4_000                        # what a message needs, microseconds; the two ways alike


def u32(n):
    return struct.pack("<I", n)


def section(marker, body):
    return bytes([marker, 0]) + struct.pack("<H", len(body)) + body


def document(version, node, counter, peripheral=None, emergency=None):
    """protocol.md 2: header, counter, sections."""
    out = u32(version) + u32(node) + u32(len(counter))
    for key in sorted(counter):
        out += u32(key) + struct.pack("<Q", counter[key])
    if peripheral:
        callsign, battery, time, place = peripheral
        body = u32(node ^ 0x5A000000) + u32(node) + b"\x01" + callsign.encode().ljust(12, b"\0")
        body += bytes([battery, 0, 0, 70]) + b"\0" + struct.pack("<Q", time)
        body += b"\x01" + struct.pack("<ff", *place) + b"\0" if place else b"\0"
        out += section(0xAB, body)
    if emergency:
        source, time, acks = emergency
        body = u32(source) + struct.pack("<Q", time) + u32(len(acks))
        body += b"".join(u32(n) + bytes([given]) for n, given in sorted(acks.items()))
        out += section(0xAC, body)
    return out


class Phone:
    """A phone with its recorder: an HCI log as btsnoop (formats.md 2), by a clock of its own."""

    def __init__(self, index, node, address, offset=0, drift=0.0, wants=True):
        self.node, self.address, self.offset, self.drift = node, address, offset, drift
        self.records, self.counter, self.version, self.links = [], {}, 0, {}
        self.emergency, self.battery, self.index, self.next_link = None, 90, index, 0x40

    def stamp(self, time):
        return int(time + self.offset + self.drift * (time - START))

    def packet(self, time, data, received, control=False):
        flags = int(received) | (2 if control else 0)
        self.records.append((time, len(self.records), flags, data))

    def acl(self, time, peer, pdu, received):
        handle = self.links[peer.address] | (0x2000 if received else 0)
        data = b"\x02" + struct.pack("<HHHH", handle, len(pdu) + 4, len(pdu), 4) + pdu
        self.packet(time, data, received)

    def bytes(self):
        out = b"btsnoop\0" + struct.pack(">II", 1, 1002)
        for time, _, flags, data in sorted(self.records):
            out += struct.pack(">IIIIq", len(data), len(data), flags, 0, self.stamp(time) + 0x00DCDDB30F2F8000) + data
        return out

    def own_document(self, time, place=None):
        self.version += 1
        return document(self.version, self.node, self.counter,
                        (f"P{self.index}", self.battery, time // 1000, place), self.emergency)

    def join(self, counter, emergency):
        for key, value in counter.items():
            self.counter[key] = max(self.counter.get(key, 0), value)
        if emergency:
            source, time, acks = emergency
            mine = self.emergency
            if mine is None or time > mine[1]:
                self.emergency = (source, time, dict(acks))
            elif mine[:2] == (source, time):
                for node, given in acks.items():
                    mine[2][node] = max(mine[2].get(node, 0), given)


def connect(central, peripheral, time):
    for own, other, role in ((central, peripheral, 0), (peripheral, central, 1)):
        handle = own.next_link
        own.next_link += 1
        own.links[other.address] = handle
        event = b"\x04\x3e\x13\x01\x00" + struct.pack("<H", handle) + bytes([role, 1]) + other.address[::-1]
        own.packet(time, event + b"\x18\0\0\0\x48\0\0", True, True)
        # Its own address, so that the other end's can be recognised: Read BD_ADDR answered.
        if handle == 0x40:
            own.packet(time - 1000, b"\x04\x0e\x0a\x01\x09\x10\0" + own.address[::-1], True, True)

    def exchange(at, pdu, from_central):
        central.acl(at if from_central else at + LATENCY, peripheral, pdu, not from_central)
        peripheral.acl(at + LATENCY if from_central else at, central, pdu, from_central)

    at = time + 10_000
    for pdu, from_central in [
            (b"\x02" + struct.pack("<H", 517), True), (b"\x03" + struct.pack("<H", 517), False),
            (b"\x10\x01\0\xff\xff\0\x28", True), (b"\x11\x06\x10\0\x2f\0\x7a\xf4", False),
            (b"\x08\x01\0\xff\xff\x03\x28", True), (b"\x09\x07\x11\0\x1a\x12\0\x7b\xf4", False),
            (b"\x12\x13\0\x01\0", True), (b"\x13", False)]:
        exchange(at, pdu, from_central)
        at += 20_000
    return at


def disconnect(one, other, time):
    for own, peer in ((one, other), (other, one)):
        own.packet(time, b"\x04\x05\x04\0" + struct.pack("<H", own.links.pop(peer.address)) + b"\x13", True, True)


def send(sender, receiver, time, is_central, place=None, value=None, latency=LATENCY):
    """A document from one phone to another: written by the central, notified by the peripheral."""
    value = value or sender.own_document(time, place)
    pdu = (b"\x52\x12\0" if is_central else b"\x1b\x12\0") + value
    sender.acl(time, receiver, pdu, False)
    receiver.acl(time + latency, sender, pdu, True)
    receiver.join(dict(sender.counter), sender.emergency)


def day_of_mesh(mesh, number, day, seed):
    """Three phones in a row, A - B - C, for 400 seconds. Gives the phones and what is true of them."""
    chance = random.Random(seed)
    base = 0x10000000 + number * 0x1000
    start = START + day * 86_400_000_000
    phones = []
    for i in range(3):
        address = bytes([0xC0 | number, day, 0, 0, 0, i + 1])
        # Offset and drift are of this day; `stamp` drifts from the day's start.
        phone = Phone(i, base + i + 1, address, offset=int(chance.gauss(0, 800_000)), drift=chance.uniform(-4e-5, 4e-5))
        phone.stamp = lambda t, p=phone: int(t + p.offset + p.drift * (t - start))
        phones.append(phone)
    a, b, c = phones
    ready = max(connect(a, b, start), connect(b, c, start + 1_000_000))
    truth = {"mesh": mesh, "start": start, "phones": phones, "updates": {}}
    time = ready + 1_000_000
    for turn in range(60):
        # A counts now and then; the news goes to B, and from B to C.
        if turn % 10 == 0:
            a.counter[a.node] = a.counter.get(a.node, 0) + 1
        place = (46.5 + number * 0.1, 7.25)
        send(a, b, time, True, place)
        send(b, a, time + 1_500_000, False, place)
        send(b, c, time + 3_000_000, True, place)
        send(c, b, time + 4_500_000, False, place)
        time += 6_000_000
    truth["end"] = time
    return truth


def write(truth, root, day_name):
    folder = os.path.join(root, f"mesh={truth['mesh']}", f"day={day_name}")
    os.makedirs(folder, exist_ok=True)
    for phone in truth["phones"]:
        phone.path = os.path.join(folder, f"phone{phone.index}.btsnoop")
        with open(phone.path, "wb") as file:
            file.write(phone.bytes())


def fleet(root, days=2):
    """Meshes without a fault and meshes with one planted case each; gives what every question is to find."""
    planted = {}
    truths = []
    for number, mesh in enumerate(["calm", "unreached", "slow", "clock", "drops", "misread", "battery"]):
        for day in range(days):
            truth = day_of_mesh(mesh, number, day, f"{mesh}/{day}")
            a, b, c = truth["phones"]
            at = truth["end"] + 1_000_000
            if mesh == "unreached" and day == 0:
                # A raises; B carries it and never acknowledges; C never hears of it, though it has a capture. D has none.
                away = 0x1FFFFFFF
                a.emergency = (a.node, at // 1000, {a.node: 1, b.node: 0, c.node: 0, away: 0})
                planted["emergency"] = (a.node, at // 1000)
                send(a, b, at, True)
                send(b, a, at + 1_500_000, False)
                planted["unreached"] = {
                    (b.node, "carried it and did not acknowledge"), (c.node, "no message brought it"),
                    (away, "there is no capture of its own")}
            if mesh == "calm":
                # An emergency that all acknowledge is none of the findings.
                acks = {a.node: 1, b.node: 0, c.node: 0}
                a.emergency = (a.node, at // 1000, acks)
                send(a, b, at, True)
                b.emergency[2][b.node] = 1
                send(b, c, at + 1_000_000, True)
                c.emergency[2][c.node] = 1
                send(c, b, at + 2_000_000, False)
                send(b, a, at + 3_000_000, False)
            if mesh == "slow" and day == 1:
                # C hears of the last count 90 s later, and C's clock is an hour behind: raw clocks would say -3510 s.
                c.offset -= 3_600_000_000
                a.counter[a.node] += 1
                send(a, b, at, True)
                send(b, c, at + 90_000_000, True)
                send(c, b, at + 90_500_000, False)
                planted["slow"] = (a.node, a.counter[a.node], 90.5)
            if mesh == "clock" and day == 0:
                b.offset += 3_600_000_000
            if mesh == "drops" and day == 0:
                for turn in range(3):
                    disconnect(a, b, at)
                    at = connect(a, b, at + 5_000_000) + 1_000_000
                    send(a, b, at, True)
                    send(b, a, at + 500_000, False)
                    at += 2_000_000
            if mesh == "misread" and day == 1:
                # 30 entries make more than 256 bytes, which M5Stack receivers do not take (protocol.md 9).
                for i in range(30):
                    a.counter[0x20000000 + i] = 1
                send(a, b, at, True)
                planted["misread"] = 1
            if mesh == "battery" and day == 0:
                c.battery = 9
                send(c, b, at, False)
                planted["battery"] = c.node
            write(truth, root, f"{2026}-03-{1 + day:02d}")
            truth["day"] = f"2026-03-{1 + day:02d}"
            truths.append(truth)
    return truths, planted
