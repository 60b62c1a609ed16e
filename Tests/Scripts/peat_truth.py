"""Reads truth files and documents, apart from the tool: what the other scripts here share."""

import json
import struct


class Document:
    """A document as the reference decoder sees it: node, version, counters, emergency."""

    def __init__(self, data):
        self.version, self.node, entries = struct.unpack_from("<III", data)
        self.counter = {}
        place = 12
        for _ in range(entries):
            node, count = struct.unpack_from("<IQ", data, place)
            self.counter[node] = max(count, self.counter.get(node, 0))
            place += 12
        self.emergency = None
        while place + 4 <= len(data):
            marker, _, length = struct.unpack_from("<BBH", data, place)
            body = data[place + 4 : place + 4 + length]
            if marker == 0xAC:
                source, time, acks = struct.unpack_from("<IQI", body)
                self.emergency = (source, time)
                self.acks = {}
                for index in range(acks):
                    node, is_acked = struct.unpack_from("<IB", body, 16 + 5 * index)
                    self.acks[node] = is_acked != 0
            place += 4 + length


def name(node):
    return "%08X" % node


def load(path):
    with open(path) as file:
        return json.load(file)


def messages(truth, files):
    """The documents of some captures, each once, in the order of the true clock.

    A message stands where its sender sent it, or where it arrived if the sender kept no record.
    """
    captures = [entry for entry in truth["captures"] if entry["file"] in files]
    recorders = {entry["recorded_node"] for entry in captures}
    wanted = {seq for entry in captures for seq in entry["documents"]}
    found = []
    for entry in truth["documents"]:
        if entry["seq"] in wanted:
            is_sent = entry["sender"] in recorders
            found.append((entry["t"] if is_sent else entry["received_s"], entry["seq"], entry))
    found.sort(key=lambda item: item[:2])
    return found
