#!/usr/bin/env python3
"""Replays a truth file and prints the joined state after some messages, apart from the tool.

usage: replay.py TRUTH FILE... [--moments N]

Each moment lies behind a number of messages (`messages`) where the next one is at least 40 ms
away, so that captures whose clocks agree to a few milliseconds have the same ones behind it.
"""

import argparse
import json

import peat_truth
from peat_truth import name


class State:
    def __init__(self):
        self.counter = {}
        self.emergency = None
        self.acks = {}
        self.versions = {}

    def join(self, document):
        for node, count in document.counter.items():
            self.counter[node] = max(count, self.counter.get(node, 0))
        self.versions[document.node] = document.version
        event = document.emergency
        if event is None:
            return
        if self.emergency is None or event[1] > self.emergency[1]:
            self.emergency = event
            self.acks = dict(document.acks)
        elif event == self.emergency:
            for node, is_acked in document.acks.items():
                self.acks[node] = self.acks.get(node, False) or is_acked

    def record(self):
        emergency = None
        if self.emergency:
            emergency = {
                "source": name(self.emergency[0]),
                "time": self.emergency[1],
                "acked": sorted(name(node) for node in self.acks if self.acks[node]),
                "pending": sorted(name(node) for node in self.acks if not self.acks[node]),
            }
        return {
            "counter": {name(node): count for node, count in self.counter.items()},
            "total": sum(self.counter.values()) % 2**64,
            "emergency": emergency,
            "versions": {name(node): version for node, version in self.versions.items()},
        }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("truth")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--moments", type=int, default=20)
    options = parser.parse_args()
    found = peat_truth.messages(peat_truth.load(options.truth), options.files)
    quiet = [
        index + 1
        for index in range(len(found))
        if index + 1 == len(found) or found[index + 1][0] - found[index][0] > 0.04
    ]
    chosen = {quiet[(len(quiet) - 1) * k // (options.moments - 1)] for k in range(options.moments)}
    mesh = State()
    nodes = {}
    states = []
    for index, (time, _, entry) in enumerate(found):
        document = peat_truth.Document(bytes.fromhex(entry["hex"]))
        mesh.join(document)
        nodes.setdefault(document.node, State()).join(document)
        if index + 1 in chosen:
            states.append(
                {
                    "messages": index + 1,
                    "time": time,
                    "mesh": mesh.record(),
                    "nodes": {name(node): state.record() for node, state in nodes.items()},
                }
            )
    print(json.dumps(states))


main()
