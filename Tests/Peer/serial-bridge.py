#!/usr/bin/env python3
"""A serial line for tests: copies bytes between a pseudo-terminal and a TCP port, and prints its name.

    serial-bridge.py PORT
"""
import json
import os
import select
import socket
import sys
import tty

line, device = os.openpty()
tty.setraw(device)
port = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
print(json.dumps({"event": "listening", "path": os.ttyname(device)}), flush=True)
while True:
    ready, _, _ = select.select([line, port, sys.stdin], [], [])
    if sys.stdin in ready:
        # An order, or the end of the test: the line goes as an unplugged board does.
        break
    if line in ready:
        port.sendall(os.read(line, 4096))
    if port in ready:
        data = port.recv(4096)
        if not data:
            break
        os.write(line, data)
