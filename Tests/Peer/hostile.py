#!/usr/bin/env python3
"""Peers that do what no peer should, beside a good one (peer.py), for tests of `peat-inspect node`.

    hostile.py      listens as peer.py does; takes its orders, and `attack`

Each attack is one object on standard output when it is over; frames go onto the link as they are, past
Bumble's own host, which would not send them.
"""
import asyncio
import struct

from bumble.core import UUID, AdvertisingData, PhysicalTransport
from bumble.device import Peer
from bumble.link import LocalLink

from peer import SCHEMES, Node, options, orders, say, serve

TARGET = 0x0A0B0C0D
# What the addresses of peer.py begin with.
OWN = "D2:00:4C:41:42"
ATT, SIGNALLING, SECURITY = 4, 5, 6
FLOOD = 2000


def document(node, counts):
    return struct.pack("<III", 9, node, len(counts)) + b"".join(
        struct.pack("<IQ", *entry) for entry in sorted(counts.items()))


class Attacker(Node):
    """A node whose link can carry any bytes."""

    def raw(self, connection, data):
        controller = self.device.host.hci_sink
        controller.link.send_acl_data(controller, connection.peer_address, PhysicalTransport.LE, data)

    def frame(self, connection, channel, payload):
        self.raw(connection, struct.pack("<HH", len(payload), channel) + payload)

    async def link_to(self):
        """Connects to the node under test, looks for its document and gives link and handle."""
        service, characteristic, _ = SCHEMES["canonical"]
        found = asyncio.get_running_loop().create_future()

        def heard(advertisement):
            services = advertisement.data.get_all(AdvertisingData.Type(7), raw=True)
            is_own = str(advertisement.address).startswith(OWN)
            if UUID(service).to_bytes() in services and not is_own and not found.done():
                found.set_result(advertisement.address)
        self.device.on("advertisement", heard)
        await self.device.start_scanning(legacy=True, filter_duplicates=False)
        address = await asyncio.wait_for(found, 10)
        await self.device.stop_scanning(legacy=True)
        connection = await self.device.connect(address, timeout=10)
        peer = Peer(connection)
        await peer.request_mtu(247)
        await peer.discover_services()
        proxy = peer.get_services_by_uuid(UUID(service))[0]
        await peer.discover_characteristics([UUID(characteristic)], service=proxy)
        return connection, peer.get_characteristics_by_uuid(UUID(characteristic))[0].handle

    async def breathe(self):
        # The node's answers, and the good peer's words, get their turn.
        await asyncio.sleep(0.02)


async def oversized(attacker, connection, handle):
    for size in (245, 513, 600, 4000):
        attacker.frame(connection, ATT, struct.pack("<BH", 0x12, handle) + bytes(size))
        attacker.frame(connection, ATT, struct.pack("<BH", 0x52, handle) + bytes(size))
    for claimed in (257, 0xFFFFFFFF):
        attacker.frame(connection, ATT, struct.pack("<BHIII", 0x52, handle, 9, 0x66, claimed) + bytes(200))


async def prepared(attacker, connection, handle):
    for index in range(FLOOD):
        attacker.frame(connection, ATT, struct.pack("<BHH", 0x16, handle, index * 200 & 0xFFFF) + bytes(200))
        if index % 50 == 0:
            await attacker.breathe()
    attacker.frame(connection, ATT, b"\x18\x01")


async def malformed(attacker, connection, handle):
    attacker.frame(connection, ATT, b"")
    for opcode in range(256):
        for size in (0, 1, 3, 6):
            attacker.frame(connection, ATT, bytes([opcode]) + b"\xff" * size)
        if opcode % 16 == 0:
            await attacker.breathe()
    for command in range(0x20):
        attacker.frame(connection, SIGNALLING, bytes([command, 1, 0xFF, 0xFF]) + b"\xff" * 5)
        attacker.frame(connection, SECURITY, bytes([command]) + b"\xff" * 3)


async def writes(attacker, connection, handle):
    for index in range(FLOOD):
        value = document(0x66000000 + index, {0x66000000 + index: index + 1})
        attacker.frame(connection, ATT, struct.pack("<BH", 0x52, handle) + value)
        if index % 50 == 0:
            await attacker.breathe()


async def lengths(attacker, connection, handle):
    for announced, size in ((0xFFFF, 0), (0xFFFF, 1000), (0, 50), (3, 50), (100, 10), (2000, 4)):
        attacker.raw(connection, struct.pack("<HH", announced, ATT) + bytes(size))
    for size in range(4):
        attacker.raw(connection, b"\xff" * size)
    for channel in (0, 1, 2, 3, 0x3F, 0x40, 0xFFFF):
        attacker.frame(connection, channel, b"\xff" * 8)


async def counters(attacker, connection, handle):
    for node in (0x66, TARGET, 0x2B5C0001):
        value = document(node, {TARGET: 2**64 - 1})
        attacker.frame(connection, ATT, struct.pack("<BH", 0x52, handle) + value)


class Server(Attacker):
    """A peripheral that floods who subscribes."""

    def subscribed(self, bearer, notify, indicate):
        super().subscribed(bearer, notify, indicate)
        if notify:
            asyncio.ensure_future(self.flood(bearer))

    async def flood(self, connection):
        for index in range(FLOOD):
            value = document(0x67000000 + index, {0x67000000 + index: 1}) if index % 10 else b"\xff" * 244
            opcode = 0x1D if index % 7 == 0 else 0x1B
            self.frame(connection, ATT, struct.pack("<BH", opcode, self.characteristic.handle) + value)
            if index % 50 == 0:
                await self.breathe()
        say("attacked", kind="notifications")


async def attack(link, args):
    server = Server(args, link, 0x20)
    await server.device.power_on()
    await server.advertise()
    # Two that connect and say nothing more.
    silent = [Attacker(args, link, 0x21 + index) for index in range(2)]
    for attacker in silent:
        await attacker.device.power_on()
        await attacker.link_to()
    say("attacked", kind="half-open")
    attacker = Attacker(args, link, 0x30)
    await attacker.device.power_on()
    connection = None
    for step in (oversized, prepared, malformed, writes, lengths, counters):
        if connection is None or connection.handle not in attacker.links:
            connection, handle = await attacker.link_to()
        await step(attacker, connection, handle)
        await asyncio.sleep(0.3)
        say("attacked", kind=step.__name__)
    say("done")


async def main():
    args = options().parse_args()
    link = LocalLink()
    good = Node(args, link, 1)
    await good.device.power_on()
    asyncio.ensure_future(good.beat())
    await good.advertise()
    await serve(args, link)

    def failed(task):
        if not task.cancelled() and task.exception():
            say("failed", error=repr(task.exception()))
    await orders([good], {"attack": lambda: asyncio.ensure_future(attack(link, args)).add_done_callback(failed)})


if __name__ == "__main__":
    asyncio.run(main())
