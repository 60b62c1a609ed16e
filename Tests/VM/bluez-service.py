#!/usr/bin/python3
"""A Peat node that is served by BlueZ's bluetoothd, through its D-Bus interface.

    bluez-service.py ADAPTER     such as hci1, which must be powered

Advertises service 0xF47A, whose characteristic 0xF47B takes and notifies the documents of replica.py.
Orders come from standard input: `ack`, `state`, `quit`; an answer of `state` is one JSON line.
"""
import json
import os
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

from replica import Replica

SERVICE = "0000f47a-0000-1000-8000-00805f9b34fb"
DOCUMENT = "0000f47b-0000-1000-8000-00805f9b34fb"
BLUEZ, PROPERTIES, OBJECTS = "org.bluez", "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager"
CHARACTERISTIC = "org.bluez.GattCharacteristic1"
ROOT = "/peat"
NODE, PERIOD_MS = 0x12345678, 1_000


class Exported(dbus.service.Object):
    """An object with fixed properties."""

    def __init__(self, bus, path, interface, properties):
        super().__init__(bus, path)
        self.path, self.interface, self.properties = path, interface, properties

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        return self.properties

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass


class Document(Exported):
    """The characteristic: merges what is written, notifies each period."""

    def __init__(self, bus, path, properties):
        super().__init__(bus, path, CHARACTERISTIC, properties)
        self.replica, self.notifying = Replica(NODE, None), False
        GLib.timeout_add(PERIOD_MS, self.notify)

    def notify(self):
        if self.notifying:
            value = dbus.ByteArray(self.replica.encode())
            self.PropertiesChanged(self.interface, {"Value": value}, [])
        return True

    @dbus.service.method(CHARACTERISTIC, in_signature="a{sv}", out_signature="ay")
    def ReadValue(self, options):
        return dbus.ByteArray(self.replica.encode()[int(options.get("offset", 0)):])

    @dbus.service.method(CHARACTERISTIC, in_signature="aya{sv}")
    def WriteValue(self, value, options):
        self.replica.merge(bytes(value))

    @dbus.service.method(CHARACTERISTIC)
    def StartNotify(self):
        self.notifying = True

    @dbus.service.method(CHARACTERISTIC)
    def StopNotify(self):
        self.notifying = False


class Application(dbus.service.Object):
    def __init__(self, bus, objects):
        super().__init__(bus, ROOT)
        self.objects = objects

    @dbus.service.method(OBJECTS, out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        return {item.path: {item.interface: item.properties} for item in self.objects}


def failed(error):
    print("failed:", error, file=sys.stderr, flush=True)
    os._exit(1)


def main():
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus, loop = dbus.SystemBus(), GLib.MainLoop()
    adapter = bus.get_object(BLUEZ, "/org/bluez/" + sys.argv[1])
    adapter.Set("org.bluez.Adapter1", "Powered", True, dbus_interface=PROPERTIES)
    service = Exported(bus, ROOT + "/service", "org.bluez.GattService1", {"UUID": SERVICE, "Primary": True})
    document = Document(
        bus, ROOT + "/service/document",
        {"UUID": DOCUMENT, "Service": dbus.ObjectPath(service.path),
         "Flags": ["read", "write", "write-without-response", "notify"]})
    advertisement = Exported(
        bus, ROOT + "/advertisement", "org.bluez.LEAdvertisement1",
        {"Type": "peripheral", "ServiceUUIDs": [SERVICE], "LocalName": f"PEAT_VM-{NODE:08X}"})
    application = Application(bus, [service, document])

    def advertise():
        adapter.RegisterAdvertisement(dbus.ObjectPath(advertisement.path), {},
                                      dbus_interface="org.bluez.LEAdvertisingManager1",
                                      reply_handler=lambda: print("ready", flush=True), error_handler=failed)

    def order(source, condition):
        line = source.readline().strip()
        if line == "ack":
            document.replica.acknowledge()
        elif line == "state":
            print(json.dumps(document.replica.state()), flush=True)
        else:
            loop.quit()
        return True

    adapter.RegisterApplication(dbus.ObjectPath(application.__dbus_object_path__), {},
                                dbus_interface="org.bluez.GattManager1",
                                reply_handler=advertise, error_handler=failed)
    GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, order)
    loop.run()


main()
