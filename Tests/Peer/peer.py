#!/usr/bin/env python3
"""A Peat node on Bumble's host and controllers, for tests of `peat-inspect node`.

    peer.py [options]      listens on a free port of 127.0.0.1 and prints it

Whoever connects to the port gets a virtual controller of its own, in H4 framing, on the same virtual
radio as the node.  One JSON object a line goes to standard output; orders come from standard input:
`emergency`, `ack`, `state`, `drop`, `cut` (the controllers go), `quit`.  The documents are those of replica.py.
"""
import argparse
import asyncio
import itertools
import json
import sys

from bumble import hci
from bumble.att import ATT_Error
from bumble.controller import Controller
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.host import Host
from bumble.link import LocalLink
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport.common import PacketParser

from replica import Replica, mesh_key

CANONICAL = ("F47AC10B-58CC-4372-A567-0E02B2C3D479", "F47A0003-58CC-4372-A567-0E02B2C3D479")
ON_BASE = "-0000-1000-8000-00805F9B34FB"
# Service, its document characteristic, and the UUID that is advertised.
SCHEMES = {
    "canonical": (*CANONICAL, CANONICAL[0]),
    "alias": ("F47A", "F47B", "F47A"),
    "mixed": (*CANONICAL, "F47A"),
    "base": ("0000F47A" + ON_BASE, "0000F47B" + ON_BASE, "0000F47A" + ON_BASE),
    "library": ("A1B2C3D4-E5F6-4A7B-8C9D-0E1F2A3B4C5D", "A1B20003-E5F6-4A7B-8C9D-0E1F2A3B4C5D", "A1B2"),
    # What the reference does on Linux (see Linux below): two characteristics, and an alias in the advertisement.
    "linux": ("A1B2C3D4-E5F6-4A7B-8C9D-0E1F2A3B4C5D", "A1B20003-E5F6-4A7B-8C9D-0E1F2A3B4C5D", "F47A"),
}
LINUX = {number: f"A1B2{number:04X}-E5F6-4A7B-8C9D-0E1F2A3B4C5D" for number in range(1, 6)}


CONNECTING = asyncio.Lock()


def say(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


class Node:
    def __init__(self, args, link, index):
        self.args = args
        key = None
        if args.secret:
            key = mesh_key(args.mesh, bytes.fromhex(args.secret))
        self.replica = Replica(0x2B5C0000 + index, key)
        self.links = {}
        self.reads = itertools.count()
        controller = Controller(f"peer{index}", link=link, public_address=f"02:1E:00:00:00:{index:02X}")
        shape(controller, args)
        config = DeviceConfiguration()
        config.name = f"PEAT_{args.mesh}-{self.replica.node:08X}"
        if args.scheme == "linux":
            config.name = f"PEAT-{self.replica.node:08X}"
        config.address = hci.Address(f"D2:00:4C:41:42:{index:02X}")
        self.device = Device(config=config, host=Host(controller, controller))
        # Just Works, nothing kept, LE legacy pairing.
        self.device.pairing_config_factory = lambda connection: PairingConfig(
            sc=False, mitm=False, bonding=False,
            delegate=PairingDelegate(PairingDelegate.IoCapability.NO_OUTPUT_NO_INPUT))
        permissions = Characteristic.READABLE | Characteristic.WRITEABLE
        if args.pairing:
            permissions |= Characteristic.READ_REQUIRES_ENCRYPTION | Characteristic.WRITE_REQUIRES_ENCRYPTION
        service, document, shown = (UUID(text) for text in SCHEMES[args.scheme])
        properties = Characteristic.Properties
        self.characteristic = Characteristic(
            document,
            properties.READ | properties.WRITE | properties.WRITE_WITHOUT_RESPONSE | properties.NOTIFY,
            permissions,
            CharacteristicValue(read=lambda _: self.replica.encode(), write=self.written))
        self.characteristic.on("subscription", self.subscribed)
        if args.scheme == "linux":
            self.serve_linux(service)
        else:
            self.device.add_service(Service(service, [self.characteristic]))
        if args.both:
            self.serve_linux(UUID(SCHEMES["linux"][0]))
        self.device.gatt_server.max_mtu = args.mtu
        raw = shown.to_bytes()
        fields = [(1, b"\x06"), (3 if len(raw) == 2 else 7, raw)]
        if args.scheme == "linux":
            fields.append((0x16, raw + self.replica.node.to_bytes(4, "big")))
        self.advertising = bytes(AdvertisingData(fields))
        self.response = bytes(AdvertisingData([(9, config.name.encode()[:29])]))
        self.device.on("connection", self.connected)

    def serve_linux(self, service):
        """The five characteristics of the Linux adapter: the document is read from the second and written to
        the third, and nothing is ever notified."""
        properties, read, write = Characteristic.Properties, Characteristic.READABLE, Characteristic.WRITEABLE

        def static(number, allowed, value):
            return Characteristic(UUID(LINUX[number]), allowed, read | write, value)

        def answer(connection):
            if self.args.refuse_reads and next(self.reads) % 2 == 0:
                raise ATT_Error(error_code=0x0E)
            say("read")
            return self.replica.encode()
        self.device.add_service(Service(service, [
            static(1, properties.READ, self.replica.node.to_bytes(4, "little")),
            static(2, properties.READ | properties.NOTIFY, CharacteristicValue(read=answer)),
            static(3, properties.WRITE | properties.INDICATE, CharacteristicValue(write=self.written)),
            static(4, properties.WRITE | properties.WRITE_WITHOUT_RESPONSE, CharacteristicValue(write=lambda *_: None)),
            static(5, properties.READ | properties.NOTIFY, b"\0"),
        ]))

    def heard(self, value):
        try:
            self.replica.merge(bytes(value))
            say("heard", bytes=len(value))
        except Exception as error:
            say("refused", error=repr(error), hex=bytes(value).hex())

    async def written(self, connection, value):
        # The answer goes out when this is over.
        await asyncio.sleep(self.args.slow)
        self.heard(value)

    def connected(self, connection):
        entry = {"connection": connection, "peer": None, "remote": None, "notify": False}
        self.links[connection.handle] = entry
        say("connected", role="central" if connection.role == hci.Role.CENTRAL else "peripheral")

        connection.on("connection_encryption_change", lambda: say("encrypted", on=bool(connection.encryption)))

        def ended(reason):
            say("disconnected", reason=reason)
            self.links.pop(connection.handle, None)
            if self.args.role == "peripheral":
                asyncio.ensure_future(self.advertise())
        connection.on("disconnection", ended)

    def subscribed(self, bearer, notify, indicate):
        for entry in self.links.values():
            if entry["connection"] is bearer:
                entry["notify"] = bool(notify)

    async def advertise(self):
        self.device.advertising_interval_min = self.device.advertising_interval_max = 100
        await self.device.start_advertising(
            advertising_data=self.advertising, scan_response_data=self.response)

    async def hunt(self):
        wanted = {UUID(text).to_bytes() for service, _, shown in SCHEMES.values() for text in (service, shown)}
        found = asyncio.Queue()

        def heard(advertisement):
            for kind, size in ((2, 2), (3, 2), (6, 16), (7, 16)):
                for data in advertisement.data.get_all(AdvertisingData.Type(kind), raw=True):
                    if data in wanted and advertisement.is_connectable and not self.links:
                        found.put_nowait(advertisement.address)
        self.device.on("advertisement", heard)
        while True:
            await self.device.start_scanning(legacy=not self.args.extended, filter_duplicates=False)
            address = await found.get()
            await self.device.stop_scanning(legacy=not self.args.extended)
            while not found.empty():
                found.get_nowait()
            try:
                # On this radio one advertisement would connect everybody who waits for it.
                async with CONNECTING:
                    connection = await self.device.connect(address, timeout=10)
                await self.look(self.links[connection.handle])
            except Exception as error:
                say("failed", error=repr(error))
            await asyncio.sleep(0.5)

    async def look_linux(self, entry, peer):
        await peer.discover_services([UUID(SCHEMES["linux"][0])])
        service = peer.get_services_by_uuid(UUID(SCHEMES["linux"][0]))[0]
        await peer.discover_characteristics([UUID(LINUX[2]), UUID(LINUX[3])], service=service)
        entry["fetched"] = peer.get_characteristics_by_uuid(UUID(LINUX[2]))[0].handle
        entry["remote"] = peer.get_characteristics_by_uuid(UUID(LINUX[3]))[0].handle

    async def look(self, entry):
        entry["peer"] = peer = Peer(entry["connection"])
        if self.args.blind:
            # The handles are known from an earlier connection: nothing is asked.
            handles = [int(text) for text in self.args.blind.split(",")]
            entry["fetched"], entry["remote"] = handles[0] or None, handles[1]
            for value, configuration in [handles[2:4]] if len(handles) > 2 else []:
                peer.gatt_client.notification_subscribers[value] = {self.heard}
                await peer.gatt_client.write_value(configuration, b"\1\0", with_response=True)
            return
        if self.args.pairing:
            await entry["connection"].pair()
        if self.args.mtu > 23:
            await peer.request_mtu(self.args.mtu)
        if self.args.scheme == "linux":
            return await self.look_linux(entry, peer)
        await peer.discover_services()
        for service, document, _ in SCHEMES.values():
            for proxy in peer.get_services_by_uuid(UUID(service)):
                await peer.discover_characteristics([UUID(document)], service=proxy)
                for characteristic in peer.get_characteristics_by_uuid(UUID(document)):
                    await peer.subscribe(characteristic, lambda value: self.heard(value))
                    entry["remote"] = characteristic
                    return

    async def beat(self):
        while True:
            await asyncio.sleep(self.args.beat)
            for entry in list(self.links.values()):
                value = self.replica.encode()
                try:
                    if entry.get("fetched"):
                        self.heard(await entry["peer"].gatt_client.read_value(entry["fetched"]))
                    if entry["remote"] is not None:
                        await entry["peer"].gatt_client.write_value(entry["remote"], value, with_response=True)
                    elif entry["notify"] and not self.args.mute:
                        room = entry["connection"].att_mtu - 3
                        await self.device.gatt_server.notify_subscriber(
                            entry["connection"], self.characteristic, value[:room])
                # A request on a link that ends is cancelled.
                except (Exception, asyncio.CancelledError) as error:
                    say("failed", error=repr(error))


# The connections of the nodes under test.
GUESTS = set()


class Guest(Controller):
    """A controller with what Bumble's announce and leave out: encrypting blocks for the host, and
    ending an attempt to connect."""

    LE_ENCRYPT = 0x2017

    @property
    def is_full(self):
        return bool(self.limit) and len(self.le_connections) >= self.limit

    def on_hci_le_set_advertising_enable_command(self, command):
        if command.advertising_enable and self.is_full:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.CONNECTION_LIMIT_EXCEEDED_ERROR)
        return super().on_hci_le_set_advertising_enable_command(command)

    def on_hci_le_create_connection_command(self, command):
        if self.is_full:
            self._send_hci_command_status(hci.HCI_ErrorCode.CONNECTION_LIMIT_EXCEEDED_ERROR, command.op_code)
            return None
        return super().on_hci_le_create_connection_command(command)

    def on_hci_command_packet(self, command):
        if command.op_code != Guest.LE_ENCRYPT or not self.encrypts:
            return super().on_hci_command_packet(command)
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
        # Key and block are least significant byte first; AES takes them the other way round.
        key, block = command.parameters[:16][::-1], command.parameters[16:32][::-1]
        cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
        result = (cipher.update(block) + cipher.finalize())[::-1]
        event = bytes([0x04, 0x0E, 20, 1, 0x17, 0x20, 0]) + result
        asyncio.get_running_loop().call_soon(self.host.on_packet, event)

    def on_hci_le_create_connection_cancel_command(self, command):
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending:
            asyncio.get_running_loop().call_soon(self.send_hci_packet, hci.HCI_LE_Connection_Complete_Event(
                status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, connection_handle=0,
                role=hci.Role.CENTRAL, peer_address_type=pending.peer_address_type,
                peer_address=pending.peer_address, connection_interval=0, peripheral_latency=0,
                supervision_timeout=0, central_clock_accuracy=0))
        return super().on_hci_le_create_connection_cancel_command(command)


def shape(controller, args):
    controller.le_acl_data_packet_length = args.acl
    controller.total_num_le_acl_data_packets = 8
    # Bumble's controllers claim both, and have no command for either.
    controller.le_features = controller.le_features & ~(
        hci.LeFeatureMask.LE_2M_PHY | hci.LeFeatureMask.LE_DATA_PACKET_LENGTH_EXTENSION)
    if not args.extended:
        controller.le_features = controller.le_features & ~hci.LeFeatureMask.LE_EXTENDED_ADVERTISING


async def serve(args, link):
    guests = itertools.count(1)

    async def client(reader, writer):
        controller = Guest("guest", link=link, public_address=f"02:1E:00:00:01:{next(guests):02X}")
        controller.encrypts = args.encrypt
        controller.limit = args.links
        shape(controller, args)

        class Sink:
            def on_packet(self, packet):
                if not writer.is_closing():
                    writer.write(packet)
        controller.set_packet_sink(Sink())
        parser = PacketParser(controller)
        GUESTS.add(writer)
        try:
            while data := await reader.read(4096):
                parser.feed_data(data)
        except (ConnectionError, asyncio.CancelledError):
            pass
        GUESTS.discard(writer)
        controller.le_legacy_advertiser.stop()
        link.remove_controller(controller)
        # Its peers notice that nothing comes any more.
        own = {controller.random_address, controller.public_address}
        for other in link.controllers:
            for connection in [c for c in other.le_connections.values() if c.peer_address in own]:
                other.on_le_disconnected(connection, hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
        say("gone")
    server = await asyncio.start_server(client, "127.0.0.1", 0)
    say("listening", port=server.sockets[0].getsockname()[1])


async def orders(nodes, others={}):
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := (await reader.readline()).decode().strip():
        if line == "quit":
            return
        if line in others:
            others[line]()
        if line == "cut":
            for writer in list(GUESTS):
                writer.close()
        for node in nodes:
            if line == "emergency" and node is nodes[0]:
                node.replica.start_emergency()
            elif line == "ack":
                node.replica.acknowledge()
            elif line == "drop":
                for entry in list(node.links.values()):
                    await entry["connection"].disconnect()
            elif line == "state":
                say("state", **node.replica.state())


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--role", choices=["central", "peripheral"], default="peripheral")
    parser.add_argument("--scheme", choices=sorted(SCHEMES), default="canonical")
    parser.add_argument("--mesh", default="TEST")
    parser.add_argument("--secret", default="")
    parser.add_argument("--mtu", type=int, default=247)
    parser.add_argument("--acl", type=int, default=251)
    parser.add_argument("--beat", type=float, default=0.5)
    parser.add_argument("--extended", action="store_true")
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--slow", type=float, default=0, help="seconds until a write is answered")
    parser.add_argument("--encrypt", action="store_true", help="the node's controller has LE Encrypt")
    parser.add_argument("--links", type=int, default=0, help="links that the node's controller takes; 0: any number")
    parser.add_argument("--blind", default="", help="a central that discovers nothing: handles to read, to write, and of a notified value and its configuration")
    parser.add_argument("--both", action="store_true", help="serve the Linux service too")
    parser.add_argument("--mute", action="store_true", help="tell nothing that is not asked for")
    parser.add_argument("--refuse-reads", action="store_true", help="answer every other read with an error")
    parser.add_argument("--pairing", action="store_true", help="documents need an encrypted link")
    return parser


async def main():
    args = options().parse_args()
    link = LocalLink()
    nodes = [Node(args, link, index + 1) for index in range(args.count)]
    for node in nodes:
        await node.device.power_on()
        asyncio.ensure_future(node.beat())
        asyncio.ensure_future(node.advertise() if args.role == "peripheral" else node.hunt())
    await serve(args, link)
    await orders(nodes)
    for node in nodes:
        say("state", **node.replica.state())


if __name__ == "__main__":
    asyncio.run(main())
