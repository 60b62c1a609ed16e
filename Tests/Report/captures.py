"""Captures that the report's check makes itself: of any size, and hostile ones."""

import struct

EPOCH = 0x00DCDDB30F2F8000  # btsnoop counts microseconds from year 0; this is 1970.
START = 1_772_360_000_000_000  # 2026-03-01, microseconds
HANDLE = 0x0010


def document(version, node, counts, callsign=b"", battery=80, place=None, emergency=None, acks=()):
    """A plain document (protocol.md 2)."""
    out = struct.pack("<III", version & 0xFFFFFFFF, node, len(counts))
    for author, count in sorted(counts.items()):
        out += struct.pack("<IQ", author, count)
    body = struct.pack("<IIB12s4BB", node, 0, 1, callsign[:12], battery, 1, 0, 0, 0)
    body += struct.pack("<Q", 1_772_360_000_000)
    body += struct.pack("<BffB", 1, *place, 0) if place else b"\0"
    out += struct.pack("<BBH", 0xAB, 0, len(body)) + body
    if emergency:
        source, stamp = emergency
        body = struct.pack("<IQI", source, stamp, len(acks))
        for author, acked in acks:
            body += struct.pack("<IB", author, acked)
        out += struct.pack("<BBH", 0xAC, 0, len(body)) + body
    return out


def chat(node, texts):
    """A document with chat messages, whose texts are the sender's (protocol.md 2.8)."""
    body = struct.pack("<H", len(texts))
    for sender, text in texts:
        body += struct.pack("<IQB", node, 1_772_360_000_000, len(sender)) + sender
        body += struct.pack("<B", len(text)) + text + b"\1" + struct.pack("<IQ", 0, 0)
    return struct.pack("<III", 1, node, 0) + struct.pack("<BBH", 0xAD, 0, len(body)) + body


class Snoop:
    """A btsnoop file of HCI packets with their H4 bytes."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.file.write(b"btsnoop\0" + struct.pack(">II", 1, 1002))

    def packet(self, time, packet, received):
        flags = (1 if received else 0) | (2 if packet[0] in (1, 4) else 0)
        self.file.write(struct.pack(">IIIIQ", len(packet), len(packet), flags, 0, EPOCH + START + time))
        self.file.write(packet)

    def connect(self, time, handle, address):
        event = struct.pack("<BBHBB", 1, 0, handle, 0, 1) + address + struct.pack("<HHHB", 12, 0, 72, 0)
        self.packet(time, b"\x04\x3e" + bytes([len(event)]) + event, True)

    def disconnect(self, time, handle, reason=0x08):
        self.packet(time, b"\x04\x05\x04" + struct.pack("<BHB", 0, handle, reason), True)

    def advertise(self, time, address, name):
        data = bytes([len(name) + 1, 9]) + name
        report = struct.pack("<BBB", 1, 0, 1) + address + bytes([len(data)]) + data + b"\xc0"
        event = b"\x02" + report
        self.packet(time, b"\x04\x3e" + bytes([len(event)]) + event, True)

    def value(self, time, handle, value, received=True):
        """A notification from the peer, or a write command to it."""
        att = (b"\x1b" if received else b"\x52") + struct.pack("<H", HANDLE) + value
        l2cap = struct.pack("<HH", len(att), 4) + att
        acl = struct.pack("<HH", handle | 0x2000, len(l2cap)) + l2cap
        self.packet(time, b"\x02" + acl, received)

    def close(self):
        self.file.close()


def large(path, messages, nodes=6, changing=5):
    """A mesh in which every `changing`-th message is a change; some emergencies among them."""
    snoop = Snoop(path)
    ids = [0x10000000 + 17 * i for i in range(1, nodes + 1)]
    for i, node in enumerate(ids):
        snoop.connect(i * 1000, i + 1, struct.pack("<I", node) + b"\0\xc0")
    counts = {node: 1 for node in ids}
    time, emergency, acked = 1_000_000, None, set()
    for i in range(messages):
        node = ids[i % nodes]
        time += 97_000
        if i % changing == 0:
            counts[node] += 1
        if i % 4000 == 1000:
            emergency, acked = (node, 1_772_360_000_000 + time // 1000), {node}
        if emergency and i % 3 == 0:
            acked.add(node)
        acks = [(other, int(other in acked)) for other in ids] if emergency else ()
        snoop.value(time, i % nodes + 1, document(
            100_000 + i * 256, node, counts, b"NODE-%d" % (i % nodes), 50 + i % 50,
            (46.5 + 0.0001 * (i % 97), 7.1 + 0.0001 * (i % 89)), emergency, acks))
    snoop.close()


MARKUP = [
    b"</script>", b"<img src=x>", b"<!--<script", "\u202eevil\u202c".encode(), b"'\"&<>`",
    b"\x1b[31mred", "\u2066a\u2069\u200f".encode(), b"=1+1", "a\u0301\u0301\u0301\u0301".encode(),
]


def hostile(path):
    """Callsigns, names and chat texts that try to leave their place; keep what receivers accept."""
    snoop = Snoop(path)
    time, last = 0, {}
    for i, text in enumerate(MARKUP):
        address = bytes([i, 1, 2, 3, 4, 0xC5])
        snoop.advertise(time, address, b"PEAT_" + text[:22])
        snoop.connect(time + 10, i + 1, address)
        node = 0x0BAD0000 + i + 1
        last[node] = 3
        for k in range(6):
            time += 250_000
            last[node] += 1
            callsign = text[:12].decode("utf-8", "ignore").encode()
            emergency = (0x0BAD0001, 1_772_360_000_500) if k > 2 else None
            acks = [(other, 0) for other in last] if emergency else ()
            snoop.value(time, i + 1, document(
                last[node], node, last, callsign, 40, (46.1 + i / 100, 7.2), emergency, acks))
        long_text = (text * 40)[:128].decode("utf-8", "ignore").encode()
        snoop.value(time + 10, i + 1, chat(node, [(text[:12].decode("utf-8", "ignore").encode() or b"x", long_text)]))
        # An app document and a value that nothing explains, with 10 kB of markup between them.
        for part in range(0, 10_240, 480):
            content = (text * 600)[part:part + 480]
            time += 20_000
            snoop.value(time, i + 1, b"\xc1\0" + struct.pack("<H", len(content)) + content)
        snoop.value(time + 20, i + 1, b"\xff" * 5 + (text * 100)[:300], received=False)
        if i % 2:
            snoop.disconnect(time + 30, i + 1)
    snoop.close()


def empty(path):
    Snoop(path).close()


def timeless(path, messages=30):
    """A capture whose packets have no time."""
    snoop = Snoop(path)
    snoop.connect(-START - EPOCH, 1, b"\1\2\3\4\5\xc6")
    for i in range(messages):
        snoop.value(-START - EPOCH, 1, document(i + 1, 0x77, {0x77: i + 1}, b"LOST"))
    snoop.close()
