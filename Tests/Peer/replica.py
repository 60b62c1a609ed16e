"""The documents of a Peat node: version, node, counters, then the section 0xAC (emergency).

Only sealing needs a package from outside: cryptography.
"""
import os
import struct
import time


def now_ms():
    return time.time_ns() // 1_000_000


class Replica:
    """Counters and emergency of one node, merged by maximum and by union."""

    def __init__(self, node, key):
        self.node, self.key, self.version = node, key, 1
        self.counts, self.emergency = {node: 1}, None

    def encode(self):
        while 0xAC <= self.version & 0xFF <= 0xB2:
            self.version += 1
        out = struct.pack("<III", self.version, self.node, len(self.counts))
        for node, count in sorted(self.counts.items()):
            out += struct.pack("<IQ", node, count)
        if self.emergency:
            source, when, acks = self.emergency
            body = struct.pack("<IQI", source, when, len(acks))
            for node, acked in sorted(acks.items()):
                body += struct.pack("<IB", node, acked)
            out += struct.pack("<BBH", 0xAC, 0, len(body)) + body
        return self.seal(out)

    def seal(self, plain):
        if not self.key:
            return plain
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
        nonce = os.urandom(12)
        return b"\xAE\x00" + nonce + ChaCha20Poly1305(self.key).encrypt(nonce, plain, None)

    def open(self, frame):
        if not self.key or frame[:1] != b"\xAE":
            return frame
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
        return ChaCha20Poly1305(self.key).decrypt(frame[2:14], frame[14:], None)

    def merge(self, frame):
        data = self.open(frame)
        _, node, count = struct.unpack_from("<III", data)
        if node == self.node:
            return
        at = 12
        for _ in range(count):
            entry, value = struct.unpack_from("<IQ", data, at)
            self.counts[entry] = max(self.counts.get(entry, 0), value)
            at += 12
        while at + 4 <= len(data):
            marker, _, length = struct.unpack_from("<BBH", data, at)
            body = data[at + 4:at + 4 + length]
            at += 4 + length
            if marker == 0xAC and len(body) == length:
                self.merge_emergency(body)

    def merge_emergency(self, body):
        source, when, count = struct.unpack_from("<IQI", body)
        acks = {n: bool(a) for n, a in (struct.unpack_from("<IB", body, 16 + 5 * i) for i in range(count))}
        mine = self.emergency
        if mine and mine[:2] == (source, when):
            for node, acked in acks.items():
                mine[2][node] = mine[2].get(node, False) or acked
        elif not mine or when > mine[1]:
            self.emergency = (source, when, acks)

    def start_emergency(self):
        self.emergency = (self.node, now_ms(), {self.node: True})
        self.counts[self.node] += 1
        self.version += 1

    def acknowledge(self):
        if self.emergency:
            self.emergency[2][self.node] = True
            self.counts[self.node] += 1
            self.version += 1

    def state(self):
        emergency = None
        if self.emergency:
            source, when, acks = self.emergency
            emergency = {"source": f"{source:08X}", "time": when,
                         "acked": sorted(f"{n:08X}" for n, a in acks.items() if a)}
        return {"counter": {f"{n:08X}": c for n, c in sorted(self.counts.items())}, "emergency": emergency}


def mesh_key(mesh, secret):
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF
    return HKDF(SHA256(), 32, mesh.encode(), b"PEAT-BTLE-mesh-encryption-v1").derive(secret)
