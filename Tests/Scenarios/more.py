#!/usr/bin/env python3
"""Writes more.jsonl: further GATT conversations with their truth, in the form of README.md.

Expectations stand beside the packets here, written from the Core Specification (5.4 numbering) and
the project's pages; none is taken from the tool's output.
"""
import base64, json, os, struct

PEER, OTHER = 'C6:05:04:03:02:01', 'D2:22:33:44:55:66'
NODE, MINE = 0x11223344, 0x55667788


def doc(version, node=NODE, entries=1):
    return struct.pack('<III', version, node, entries) + b''.join(
        struct.pack('<IQ', node + i, version + i) for i in range(entries))


JUNK = bytes.fromhex('004820626561747320616e64206d6f7265')


class Talk:
    """One capture with its truth, packet by packet."""

    def __init__(self, name, kind, rule, judgement=None):
        self.name, self.kind, self.rule, self.judgement = name, kind, rule, judgement
        self.file = bytearray(b'btsnoop\0' + struct.pack('>II', 1, 1002))
        self.frame, self.time, self.drops = 0, 0x00DCDDB30F2F8000 + 1_770_000_000_000_000, 0
        self.talk, self.rows, self.forbidden, self.says, self.before, self.files = [], [], [], [], [], {}
        self.arguments, self.status, self.count, self.reason = [], 0, 0, None

    def record(self, data, received, text, control=False):
        self.frame += 1
        self.time += 1000
        flags = (1 if received else 0) | (2 if control else 0)
        self.file += struct.pack('>IIIIq', len(data), len(data), flags, self.drops, self.time) + data
        self.talk.append('%d %s' % (self.frame, text))

    def event(self, code, data, text):
        self.record(bytes([4, code, len(data)]) + data, True, 'event ' + text, True)

    def connect(self, peer=PEER, conn=0x40, kind=1, role=0):
        address = bytes.fromhex(peer.replace(':', ''))[::-1]
        self.event(0x3E, struct.pack('<BBHBB', 1, 0, conn, role, kind) + address + struct.pack('<HHHB', 24, 0, 42, 0),
                   'connection complete @%03X %s' % (conn, peer))

    def disconnect(self, conn=0x40):
        self.event(5, struct.pack('<BHB', 0, conn, 0x13), 'disconnection complete @%03X' % conn)

    def l2cap(self, data, sent, text, cid=4, conn=0x40):
        acl = struct.pack('<HH', len(data), cid) + data
        flags = 0 if sent else 0x2000
        self.record(b'\2' + struct.pack('<HH', conn | flags, len(acl)) + acl, not sent, '@%03X %s %s' % (conn, '>' if sent else '<', text))

    def put(self, data, text='', **k): self.l2cap(bytes(data), True, text or bytes(data).hex(), **k)
    def got(self, data, text='', **k): self.l2cap(bytes(data), False, text or bytes(data).hex(), **k)

    def row(self, opcode, handle, payload, by, received, conn=0x40, frame=None, **more):
        row = dict(frame=frame or self.frame, conn=conn, opcode=opcode, handle=handle,
                   direction='received' if received else 'sent', by=by, **more)
        if payload is not None: row['payload'] = payload.hex(); row.setdefault('kind', 'document')
        self.rows.append(row)

    def notify(self, handle, value, by=None, conn=0x40, **k):
        self.got(b'\x1b' + struct.pack('<H', handle) + value, 'notify %04X %s' % (handle, value.hex()[:24]), conn=conn, **k)
        if by: self.row('notification', handle, value, by, True, conn)

    def write(self, handle, value, by=None, conn=0x40):
        self.put(b'\x12' + struct.pack('<H', handle) + value, 'write %04X %s' % (handle, value.hex()[:24]), conn=conn)
        if by: self.row('write_request', handle, value, by, False, conn)
        self.got(b'\x13', 'write-rsp', conn=conn)

    def ask(self, request, answer, text, conn=0x40, server='peer'):
        (self.put if server == 'peer' else self.got)(request, text[0], conn=conn)
        (self.got if server == 'peer' else self.put)(answer, text[1], conn=conn)

    def groups(self, entries, start=1, **k):
        self.ask(struct.pack('<BHHH', 0x10, start, 0xFFFF, 0x2800),
                 b'\x11\x06' + b''.join(struct.pack('<HHH', *e) for e in entries),
                 ('read-by-group %04X-FFFF 2800' % start, 'groups ' + ' '.join('%04X-%04X=%04X' % e for e in entries)), **k)
        last = entries[-1][1]
        if last < 0xFFFF: self.missing(0x10, last + 1, 0xFFFF, 0x2800, **k)

    def missing(self, opcode, start, end, kind, **k):
        self.ask(struct.pack('<BHHH', opcode, start, end, kind), struct.pack('<BBHB', 1, opcode, start, 0x0A),
                 ('%02X %04X-%04X %04X' % (opcode, start, end, kind), 'error to %02X at %04X: 0A' % (opcode, start)), **k)

    def characteristics(self, entries, start=1, end=0xFFFF, finish=True, **k):
        self.ask(struct.pack('<BHHH', 8, start, end, 0x2803),
                 b'\x09\x07' + b''.join(struct.pack('<HBHH', d, 0x1A, h, u) for d, h, u in entries),
                 ('read-by-type %04X-%04X 2803' % (start, end), 'characteristics ' + ' '.join('%04X,%04X=%04X' % e for e in entries)), **k)
        if finish: self.missing(8, entries[-1][1] + 1, end, 0x2803, **k)

    def discover(self, handle=0x12, **k):
        self.groups([(1, 5, 0x1800), (6, 9, 0x1801), (0x10, 0x1F, 0xF47A)], **k)
        self.characteristics([(2, 3, 0x2A00), (7, 8, 0x2A05), (handle - 1, handle, 0xF47B)], **k)

    def changed(self, start, end, conn=0x40, confirm=True):
        self.got(struct.pack('<BHHH', 0x1D, 8, start, end), 'indicate 0008 %04X-%04X' % (start, end), conn=conn)
        if confirm: self.put(b'\x1e', 'confirm', conn=conn)

    def prepare(self, offset, part, request=True, answer=True, handle=0x12):
        body = struct.pack('<HH', handle, offset) + part
        if request: self.put(b'\x16' + body, 'prepare %04X at %d (%d)' % (handle, offset, len(part)))
        if answer: self.got(b'\x17' + body, 'prepare-rsp %04X at %d' % (handle, offset))

    def execute(self, value, by='discovered', flag=1, answer=b'\x19', handle=0x12, **more):
        self.put(bytes([0x18, flag]), 'execute %d' % flag)
        self.row('execute_write', handle, value, by, False, **more)
        self.got(answer, 'answer ' + answer.hex())

    def hidden(self, count, reason): self.count, self.reason = count, reason

    def line(self):
        expect = dict(messages=sorted(self.rows, key=lambda r: r['frame']), not_shown=dict(count=self.count), status=self.status)
        if self.reason: expect['not_shown']['reason'] = self.reason
        if self.forbidden: expect['forbidden'] = self.forbidden
        if self.says: expect['must_say'] = self.says
        line = dict(name=self.name, kind=self.kind, rule=self.rule, basis='judgement' if self.judgement else 'specification')
        if self.judgement: line['judgement'] = self.judgement
        line['conversation'] = self.talk
        line['btsnoop'] = base64.b64encode(bytes(self.file)).decode()
        if self.arguments: line['arguments'] = self.arguments
        if self.before: line['before'] = self.before
        line['expect'] = expect
        return line


JUNK_ROWS = dict({'in': 'rows', 're': '6265617473', 'why': 'the handle means something else'})
BLAME = dict({'in': 'all', 're': 'correct the sender\'s encoder|malformed-message', 'why': 'nobody is to blame for what the capture lacks'})
all_talks = []


def talk(*arguments, **k):
    t = Talk(*arguments, **k)
    all_talks.append(t)
    return t


def known(*arguments, **k):
    """A device whose table an earlier connection learnt, then a second connection."""
    t = talk(*arguments, **k)
    t.connect(); t.discover(); t.notify(0x12, doc(1), 'discovered'); t.disconnect(); t.connect()
    return t


# Reconnections that ask for other things.
t = known('descriptors-only', 'reconnection', 'Vol 3 Part G 4.7.1: descriptors of one characteristic')
t.ask(struct.pack('<BHH', 4, 0x13, 0x1F), b'\x05\x01' + struct.pack('<HH', 0x13, 0x2902), ('find-info 0013-001F', 'info 0013=2902'))
t.notify(0x12, doc(2), 'remembered')
t = known('one-service-by-uuid', 'reconnection', 'Vol 3 Part G 4.4.2: a search for one service says nothing of others')
t.ask(struct.pack('<BHHHH', 6, 1, 0xFFFF, 0x2800, 0x180F), b'\x07' + struct.pack('<HH', 0x30, 0x3F), ('find-by-type-value 180F', 'ranges 0030-003F'))
t.characteristics([(0x31, 0x32, 0x2A19)], 0x30, 0x3F)
t.notify(0x12, doc(2), 'remembered')
t = known('other-service-missing', 'reconnection', 'Vol 3 Part G 4.4.2, Part F 3.4.1.1: Attribute Not Found is about the type asked for')
t.ask(struct.pack('<BHHHH', 6, 1, 0xFFFF, 0x2800, 0x180F), struct.pack('<BBHB', 1, 6, 1, 0x0A), ('find-by-type-value 180F', 'error to 06: 0A'))
t.notify(0x12, doc(2), 'remembered')
t = known('document-service-missing', 'reconnection', 'Vol 3 Part G 4.4.2: a search for the service itself finds none in the whole range')
t.ask(struct.pack('<BHHHH', 6, 1, 0xFFFF, 0x2800, 0xF47A), struct.pack('<BBHB', 1, 6, 1, 0x0A), ('find-by-type-value F47A', 'error to 06: 0A'))
t.notify(0x12, JUNK); t.hidden(1, 'the service is gone'); t.forbidden = [JUNK_ROWS]
t = known('empty-range-discovered', 'reconnection', 'Vol 3 Part G 4.6.1: no characteristic in the range')
t.missing(8, 0x10, 0x1F, 0x2803)
t.notify(0x12, JUNK); t.hidden(1, 'the range has no characteristic'); t.forbidden = [JUNK_ROWS]
t = known('beside-the-range', 'reconnection', 'Vol 3 Part G 4.6.1: a discovery of another range')
t.missing(8, 0x20, 0xFFFF, 0x2803)
t.notify(0x12, doc(2), 'remembered')
t = known('uuid-moved', 'reconnection', 'Vol 3 Part G 4.8.2: Read Using Characteristic UUID shows every one of the type')
t.ask(struct.pack('<BHHH', 8, 1, 0xFFFF, 0xF47B), bytes([9, 2 + len(doc(2))]) + struct.pack('<H', 0x15) + doc(2), ('read-by-type F47B', 'values 0015'))
t.row('read_by_type_response', 0x15, doc(2), 'discovered', True)
t.notify(0x12, JUNK); t.notify(0x15, doc(3), 'discovered')
t.hidden(1, 'F47B is at 0x0015 now'); t.forbidden = [JUNK_ROWS]
t = known('types-of-all-attributes-changed', 'reconnection', 'Vol 3 Part G 4.7.1: find information over the range')
t.ask(struct.pack('<BHH', 4, 0x10, 0x1F), b'\x05\x01' + b''.join(struct.pack('<HH', *e) for e in [(0x10, 0x2800), (0x11, 0x2803), (0x12, 0x2A19), (0x14, 0x2803), (0x15, 0xF47B)]),
      ('find-info 0010-001F', 'info 0012=2A19 0015=F47B'))
t.notify(0x12, JUNK); t.notify(0x15, doc(2), 'discovered'); t.forbidden = [JUNK_ROWS]
t = known('answer-lost-in-rediscovery', 'reconnection', 'formats.md 2, drop counter: an answer may belong to a request that was lost')
t.put(struct.pack('<BHHH', 8, 1, 0xFFFF, 0x2803), 'read-by-type 0001-FFFF 2803'); t.drops = 2
t.got(b'\x09\x07' + struct.pack('<HBHH', 0x31, 2, 0x32, 0x2A19), 'characteristics 0031,0032=2A19')
t.notify(0x12, doc(2), 'remembered')
t = known('handles-with-gaps', 'reconnection', 'Vol 3 Part F 3.2.2: handles ascend and may have gaps')
t.characteristics([(0x11, 0x12, 0xF47B)], 0x10, 0x1F); t.notify(0x12, doc(2), 'discovered')

# Service Changed.
t = known('part-of-the-service', 'service-changed', 'Vol 3 Part G 7.1: only handles of the range')
t.changed(0x13, 0x1F); t.notify(0x12, doc(2), 'remembered')
t = known('range-before', 'service-changed', 'Vol 3 Part G 7.1'); t.changed(1, 5); t.notify(0x12, doc(2), 'remembered')
t = known('twice-in-two-connections', 'service-changed', 'Vol 3 Part G 7.1: the handle of Service Changed stays while bonded')
t.changed(1, 0xFFFF); t.discover(0x15); t.notify(0x15, doc(2), 'discovered'); t.disconnect(); t.connect()
t.notify(0x15, doc(3), 'remembered'); t.changed(0x10, 0x1F); t.notify(0x15, JUNK)
t.hidden(1, 'taken back again'); t.forbidden = [JUNK_ROWS]
t = talk('own-connection', 'service-changed', 'Vol 3 Part G 7.1: an unbonded client, on one connection')
t.connect(); t.discover(); t.notify(0x12, doc(1), 'discovered'); t.changed(0x10, 0x1F)
t.notify(0x12, JUNK); t.characteristics([(0x14, 0x15, 0xF47B)], 0x10, 0x1F); t.notify(0x15, doc(2), 'discovered')
t.hidden([0, 1], 'between indication and discovery'); t.forbidden = [JUNK_ROWS]
t = talk('values-before-any-discovery', 'service-changed', 'Vol 3 Part G 7.1: what is discovered afterwards says nothing of before')
t.connect(); t.characteristics([(7, 8, 0x2A05)], 6, 9); t.notify(0x12, JUNK); t.changed(0x10, 0x1F)
t.groups([(1, 5, 0x1800), (6, 9, 0x1801), (0x10, 0x1F, 0xF47A)]); t.characteristics([(0x11, 0x12, 0xF47B)], 0x10, 0x1F)
t.notify(0x12, doc(1), 'discovered'); t.hidden(1, 'the table before the indication is not known'); t.forbidden = [JUNK_ROWS]
t = known('other-device', 'service-changed', 'Vol 3 Part G 7.1: of one server')
t.connect(OTHER, 0x41); t.discover(conn=0x41); t.changed(1, 0xFFFF, conn=0x41); t.notify(0x12, JUNK, conn=0x41)
t.notify(0x12, doc(2), 'remembered'); t.hidden(1, 'the other device took its handles back'); t.forbidden = [JUNK_ROWS]
# With a bond cache and nothing else.
first = Talk('first', '', ''); first.connect(); first.discover(); first.notify(0x12, doc(1)); first.disconnect()
t = talk('known-from-a-bond-cache', 'service-changed', 'Vol 3 Part G 7.1; cli.md --bond-cache')
t.before = [dict(arguments=['--bond-cache', '{dir}/bonds'], conversation=first.talk, btsnoop=base64.b64encode(bytes(first.file)).decode())]
t.arguments = ['--bond-cache', '{dir}/bonds']
t.connect(); t.notify(0x12, doc(2), 'remembered'); t.changed(1, 0xFFFF); t.notify(0x12, JUNK)
t.hidden(1, 'taken back'); t.forbidden = [JUNK_ROWS]

# Long writes.
WHOLE = doc(3, MINE, 5)                              # 72 bytes: four parts of 18
PARTS = [(i, WHOLE[i:i + 18]) for i in range(0, 72, 18)]


def writer(*arguments, **k):
    t = talk(*arguments, **k); t.connect(); t.discover(); return t


t = writer('request-lost-answer-there', 'prepared-writes', 'Vol 3 Part F 3.4.6.2: the answer repeats the part')
for n, (o, p) in enumerate(PARTS): t.prepare(o, p, request=n != 2)
t.execute(WHOLE)
t = writer('answers-lost', 'prepared-writes', 'Vol 3 Part F 3.4.6.1')
for o, p in PARTS: t.prepare(o, p, answer=False)
t.execute(WHOLE)
t = writer('first-part-lost', 'prepared-writes', 'Vol 3 Part F 3.4.6', judgement='an accepted write with a hole means that the capture lacks a part')
for o, p in PARTS[1:]: t.prepare(o, p)
t.execute(None, incomplete=True, bytes=72); t.status = 4; t.forbidden = [BLAME]
t = writer('last-part-lost', 'prepared-writes', 'Vol 3 Part F 3.4.6; the drop counter shows the loss', judgement='the end was lost with the packets')
for o, p in PARTS[:-1]: t.prepare(o, p)
t.drops = 2; t.execute(None, kind='incomplete', cut_by='capture'); t.status = 4; t.forbidden = [BLAME]
t = writer('part-sent-twice', 'prepared-writes', 'Vol 3 Part F 3.4.6.1: later parts over earlier ones')
for o, p in [PARTS[0], (18, bytes(18)), PARTS[1], PARTS[2], PARTS[3]]: t.prepare(o, p)
t.execute(WHOLE)
t = writer('cancelled-then-written', 'prepared-writes', 'Vol 3 Part F 3.4.6.3: flag 0 empties the queue')
t.prepare(*PARTS[0]); t.put(b'\x18\0', 'execute 0'); t.row('execute_write', 0x12, PARTS[0][1], 'discovered', False, outcome='cancelled', kind='malformed'); t.got(b'\x19', 'execute-rsp')
for o, p in PARTS: t.prepare(o, p)
t.execute(WHOLE)

# Long reads.
t = writer('middle-part-lost', 'reads', 'Vol 3 Part F 3.4.4.5', judgement='the client reads on behind a part that the capture lacks')
BIG = doc(2, NODE, 5)
t.put(struct.pack('<BH', 0x0A, 0x12), 'read 0012'); t.got(b'\x0b' + BIG[:22], 'read-rsp')
t.put(struct.pack('<BHH', 0x0C, 0x12, 44), 'read-blob at 44'); t.got(b'\x0d' + BIG[44:66], 'blob')
t.put(struct.pack('<BHH', 0x0C, 0x12, 66), 'read-blob at 66'); t.got(b'\x0d' + BIG[66:], 'blob')
t.row('read_blob', 0x12, None, 'discovered', True, incomplete=True, bytes=72); t.status = 4; t.forbidden = [BLAME]
t = writer('one-read-that-fills-the-packet', 'reads', 'Vol 3 Part F 3.4.4.4', judgement='the client did not read on; no encoder is to blame')
t.put(struct.pack('<BH', 0x0A, 0x12), 'read 0012'); t.got(b'\x0b' + BIG[:22], 'read-rsp'); t.row('read_response', 0x12, None, 'discovered', True)
t.notify(0x12, doc(3), 'discovered'); t.forbidden = [BLAME]

# Two servers, two adapters' worth of links, handles used again.
t = talk('two-servers-change-apart', 'roles', 'Vol 3 Part F 3.2.2, Part G 7.1: each server has its own table')
t.connect(); t.discover(); t.discover(server='host')
t.put(struct.pack('<BHHH', 0x1D, 8, 1, 0xFFFF), 'indicate 0008 0001-FFFF'); t.got(b'\x1e', 'confirm')
t.notify(0x12, doc(1), 'discovered')
t.put(b'\x1b\x12\0' + JUNK, 'notify 0012'); t.hidden(1, "the host's own table was taken back"); t.forbidden = [JUNK_ROWS]
t = talk('handle-used-again-by-another-device', 'links', 'Vol 4 Part E 7.7.5')
t.connect(); t.discover(); t.notify(0x12, doc(1), 'discovered'); t.disconnect(); t.connect(OTHER); t.notify(0x12, JUNK)
t.hidden(1, 'the other device was never discovered'); t.forbidden = [JUNK_ROWS]

# Controllers' logs.
t = talk('logs-beside-a-connection', 'foreign-data', 'Vol 4 Part E 5.4.2: handles end at 0x0EFF', judgement='no event opened them')
t.connect(); t.discover(); t.notify(0x12, doc(1), 'discovered')
for handle in (0xEDC, 0xFF1, 0xFFF): t.notify(0x12, doc(9, 0x99AABBCC), conn=handle)
for n in range(5): t.record(b'\2' + struct.pack('<HH', 0x25FF, 20) + bytes(range(n, n + 20)), True, '@5FF < debug')
t.notify(0x12, doc(2), 'discovered')
t.forbidden = [dict({'in': 'all', 're': '99AABBCC|acl-|handle (3804|4081|4095|1535)', 'why': 'controller logs'})]

# ATT over BR/EDR.
t = talk('answer-pending-then-open', 'br-edr', 'Vol 3 Part A 4.3: result 1 says that another response follows')
t.event(3, struct.pack('<BH', 0, 0x0B) + bytes.fromhex('3322115000A0'.replace(' ', '')) + b'\1\0', 'BR/EDR connection complete @00B')
signal = lambda code, data, sent: t.l2cap(bytes([code, 7]) + struct.pack('<H', len(data)) + data, sent, 'signal %02X' % code, cid=1, conn=0x0B)
signal(2, struct.pack('<HH', 0x1F, 0x41), True)
signal(3, struct.pack('<HHHH', 0, 0x41, 1, 1), False)
signal(3, struct.pack('<HHHH', 0x44, 0x41, 0, 0), False)
signal(4, struct.pack('<HHBBH', 0x44, 0, 1, 2, 185), True)
t.put(struct.pack('<BHHH', 8, 1, 0xFFFF, 0x2803), 'read-by-type 2803', cid=0x44, conn=0x0B)
t.got(b'\x09\x07' + struct.pack('<HBHH', 0x11, 0x1A, 0x12, 0xF47B), 'characteristics 0011,0012=F47B', cid=0x41, conn=0x0B)
t.notify(0x12, doc(1), None, conn=0x0B, cid=0x41); t.row('notification', 0x12, doc(1), 'discovered', True, 0x0B, mtu=185)
t = talk('another-protocol', 'br-edr', 'Vol 3 Part A 4.2: a channel of another PSM carries no ATT')
t.event(3, struct.pack('<BH', 0, 0x0B) + bytes.fromhex('3322115000A0') + b'\1\0', 'BR/EDR connection complete @00B')
signal(2, struct.pack('<HH', 0x19, 0x41), True); signal(3, struct.pack('<HHHH', 0x44, 0x41, 0, 0), False)
for n in range(1, 5): t.notify(0x12, doc(n), None, conn=0x0B, cid=0x41)
t.forbidden = [dict({'in': 'all', 're': '11223344', 'why': 'no ATT'})]

# EATT with several channels.
t = writer('a-request-on-each-channel', 'eatt', 'Vol 3 Part F 3.2.11: each bearer has its own request and MTU')
t.l2cap(bytes([0x17, 3]) + struct.pack('<HHHHHHH', 12, 0x27, 100, 64, 10, 0x50, 0x51), True, 'credit-based request 0050 0051', cid=5)
t.l2cap(bytes([0x18, 3]) + struct.pack('<HHHHHHH', 12, 80, 64, 10, 0, 0x60, 0x61), False, 'credit-based response 0060 0061', cid=5)
sdu = lambda data: struct.pack('<H', len(data)) + data
t.put(sdu(struct.pack('<BH', 0x0A, 0x12)), 'read 0012', cid=0x60)
t.put(sdu(struct.pack('<BH', 0x0A, 0x03)), 'read 0003', cid=0x61)
t.put(struct.pack('<BH', 0x0A, 0x12), 'read 0012')
t.got(sdu(b'\x0bLab'), 'read-rsp', cid=0x51)
t.got(sdu(b'\x0b' + doc(1)), 'read-rsp', cid=0x50); t.row('read_response', 0x12, doc(1), 'discovered', True, mtu=80)
t.got(b'\x0b' + doc(2)[:12] , 'read-rsp'); t.row('read_response', 0x12, None, 'discovered', True, mtu=23)

if __name__ == '__main__':
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'more.jsonl')
    with open(path, 'w') as f:
        for t in all_talks: f.write(json.dumps(t.line()) + '\n')
    print('%d scenarios' % len(all_talks))
