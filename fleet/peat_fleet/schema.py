"""The one place that says what of a record is kept, as what type, and where it comes from.

A type is written once, in words of its own, and spelt for each engine: `u64` is UBIGINT in DuckDB and
DECIMAL(20,0) in Spark, which has no unsigned type; a signed one would lose a whole row to a hostile count."""

DUCKDB, SPARK = "duckdb", "spark"
_NAMES = {
    "str": ("VARCHAR", "STRING"), "int": ("BIGINT", "BIGINT"), "u64": ("UBIGINT", "DECIMAL(20,0)"),
    "double": ("DOUBLE", "DOUBLE"), "bool": ("BOOLEAN", "BOOLEAN"), "time": ("TIMESTAMP", "TIMESTAMP"),
}


def spell(kind, engine):
    """The engine's name of a type: a word, a list [T], a map {T} with names as keys, or a struct."""
    if isinstance(kind, str):
        return _NAMES[kind][engine == SPARK]
    if isinstance(kind, list):
        inner = spell(kind[0], engine)
        return f"ARRAY<{inner}>" if engine == SPARK else f"{inner}[]"
    if isinstance(kind, set):
        inner = spell(next(iter(kind)), engine)
        return f"MAP<STRING,{inner}>" if engine == SPARK else f"MAP(VARCHAR, {inner})"
    fields = [(name, spell(value, engine)) for name, value in kind.items()]
    if engine == SPARK:
        return "STRUCT<" + ",".join(f"`{name}`:{value}" for name, value in fields) + ">"
    return "STRUCT(" + ", ".join(f'"{name}" {value}' for name, value in fields) + ")"


_PERIPHERAL = {
    "callsign": "str", "type": "str", "time": "u64",
    "health": {"battery": "int", "activity": "str", "alerts": ["str"], "heart_rate": "int"},
    "event": {"type": "str", "time": "u64"},
    "location": {"latitude": "double", "longitude": "double", "altitude": "double"},
}
_DOCUMENT = {
    "version": "int", "node": "str", "codec": "str", "counter": {"u64"}, "total": "u64",
    "peripheral": _PERIPHERAL, "kotlin": _PERIPHERAL,
    "emergency": {"source": "str", "time": "u64", "acked": ["str"], "pending": ["str"]},
}
# A relayed encrypted document lies two deep; an engine needs a finite schema.
_INNER2 = {"kind": "str", "node": "str", "document": _DOCUMENT, "unopened": "str"}
_INNER1 = _INNER2 | {"inner": _INNER2}

# What is read of a line: a message of inspect, or the record that closes a capture.
RECORD = {
    "schema": "int", "id": "str", "file": "str", "frame": "int", "time": "time",
    "link": {"id": "int", "local": "str", "peer": "str", "role": "str"},
    "direction": "str",
    "att": {"opcode": "str", "handle": "int", "characteristic": "str", "resolved_by": "str", "mtu": "int",
            "outcome": "str"},
    "bytes": "int", "captured": "int", "cut_by": "str", "payload": "str",
    "kind": "str", "node": "str", "document": _DOCUMENT, "decrypted_with": "str", "unopened": "str",
    "reason": "str", "offset": "int", "inner": _INNER1, "receivers": {"str"},
    "effect": {"changed": "bool"},
    "findings": [{"code": "str", "severity": "str"}],
    "scope": "str", "sha256": "str", "container": "str", "packets": "int", "first": "time", "last": "time",
    "messages": "int", "mesh": "str", "recorder": {"address": "str", "node": "str"},
    "clock_steps": [{"frame": "int", "seconds": "double"}], "outcome": "str",
}

# Only what the reference would take from a message, opened where it was wrapped (protocol.md 2.9).
_DOC = ("CASE WHEN kind IN ('document', 'encrypted', 'relay') "
        "THEN coalesce(document, {inner}.document, {inner}.{inner}.document) END")

# Columns of `message`: name, type, and the expression over the parsed record, with `doc` for the document that
# counts and `shown` for the peripheral that its sender meant. {micros} is the engine's function for Unix time.
MESSAGE = [
    ("id", "str", "id"), ("frame", "int", "frame"), ("time", "time", "time"), ("time_us", "int", "{micros}(time)"),
    ("link", "int", "link.id"), ("local", "str", "link.local"), ("peer", "str", "link.peer"),
    ("role", "str", "link.role"), ("direction", "str", "direction"),
    ("opcode", "str", "att.opcode"), ("handle", "int", "att.handle"),
    ("resolved_by", "str", "att.resolved_by"), ("mtu", "int", "att.mtu"), ("refused", "str", "att.outcome"),
    ("bytes", "int", "bytes"), ("captured", "int", "captured"), ("cut_by", "str", "cut_by"),
    ("payload", "str", "payload"), ("kind", "str", "kind"), ("node", "str", "node"),
    ("version", "int", "doc.version"), ("codec", "str", "doc.codec"), ("total", "u64", "doc.total"),
    ("counter", {"u64"}, "doc.counter"),
    ("callsign", "str", "shown.callsign"), ("peripheral_time", "u64", "shown.time"),
    ("battery", "int", "shown.health.battery"), ("activity", "str", "shown.health.activity"),
    ("heart_rate", "int", "shown.health.heart_rate"),
    ("event", "str", "shown.event.type"), ("event_time", "u64", "shown.event.time"),
    ("latitude", "double", "shown.location.latitude"), ("longitude", "double", "shown.location.longitude"),
    ("emergency_source", "str", "doc.emergency.source"), ("emergency_time", "u64", "doc.emergency.time"),
    ("acked", ["str"], "doc.emergency.acked"), ("pending", ["str"], "doc.emergency.pending"),
    ("receivers", {"str"}, "receivers"), ("changed", "bool", "effect.changed"),
    ("decrypted_with", "str", "decrypted_with"),
    ("unopened", "str", "coalesce(unopened, {inner}.unopened, {inner}.{inner}.unopened)"),
    ("findings", [{"code": "str", "severity": "str"}], "findings"),
]

# Columns of `capture`, one row for each capture that was given, whatever became of it.
CAPTURE = [
    ("bytes", "int", "bytes"), ("container", "str", "container"), ("packets", "int", "packets"),
    ("first", "time", '"first"'), ("last", "time", '"last"'), ("messages", "int", "messages"),
    ("recorder_address", "str", "recorder.address"), ("recorder_node", "str", "recorder.node"),
    ("clock_steps", [{"frame": "int", "seconds": "double"}], "clock_steps"),
    ("outcome", "str", "outcome"), ("position", "int", '"offset"'), ("reason", "str", "reason"),
]

CLOCK = [
    ("capture", "str"), ("mesh", "str"), ("reference", "str"), ("offset_us", "double"),
    ("origin_us", "double"), ("drift", "double"), ("uncertainty_us", "double"), ("messages", "int"),
]


def _expression(text, engine):
    micros = "unix_micros" if engine == SPARK else "epoch_us"
    inner = "`inner`" if engine == SPARK else '"inner"'
    text = text.replace("{micros}", micros).replace("{inner}", inner)
    return text.replace('"', "`") if engine == SPARK else text


def message_select(source, engine):
    """SQL that makes messages of parsed records in `source`, with the columns that say whose they are."""
    columns = ", ".join(f'CAST({_expression(e, engine)} AS {spell(t, engine)}) AS {n}' for n, t, e in MESSAGE)
    return (f"SELECT capture, file, {columns}, day, mesh FROM (SELECT *, coalesce(doc.kotlin, doc.peripheral) AS shown "
            f"FROM (SELECT *, {_expression(_DOC, engine)} AS doc FROM ({source}) a) b) c WHERE scope IS NULL")


def capture_select(source, engine):
    """SQL that makes captures of the records that close them."""
    columns = ", ".join(f'CAST({_expression(e, engine)} AS {spell(t, engine)}) AS {n}' for n, t, e in CAPTURE)
    # What cannot be read has no checksum of its own in an engine's key: its place stands for it.
    return f"SELECT capture, file, {columns}, day, mesh FROM ({source}) a WHERE scope = 'capture'"


def empty_select(columns, engine):
    """SQL that gives no row of a table, for a lake in which nothing is yet."""
    names = [("capture", "str"), ("file", "str")] if columns is not CLOCK else []
    fields = names + [(c[0], c[1]) for c in columns] + ([("day", "str"), ("mesh", "str")] if names else [])
    return "SELECT " + ", ".join(f"CAST(NULL AS {spell(t, engine)}) AS {n}" for n, t in fields) + " WHERE 1 = 0"
