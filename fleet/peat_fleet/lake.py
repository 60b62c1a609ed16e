"""A lake: Parquet below one folder, and the views over it that questions are asked of.

    LAKE/message/day=.../mesh=.../BATCH_N.parquet   one row a message
    LAKE/capture/BATCH.parquet                      one row a capture; what makes a batch count
    LAKE/clock/clock.parquet                        one row a capture whose clock is known

A batch is there once its captures' file is: it is written last and appears whole. Messages of a batch that did
not come so far are seen by no view, and go when the next ingest begins."""
import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import tempfile

from . import schema

# Rows of one element each, so that a question needs no engine's own way to open lists and maps.
_TAKEN = "version IS NOT NULL AND refused IS NULL AND captured IS NULL"
_OF = "mesh, day, capture, file, id, time_us, at_us, is_aligned, clock_reference, direction, node"
_UNNESTED = {
    "counter": ("counter", "origin", "value", _TAKEN),
    "receiver": ("receivers", "platform", "what", "receivers IS NOT NULL"),
}


def _nested_views(engine):
    for view, (column, key, value, where) in _UNNESTED.items():
        if engine == schema.SPARK:
            yield view, (f"SELECT {_OF}, bytes, {key}, {value} FROM aligned LATERAL VIEW explode({column}) x AS {key}, {value} "
                         f"WHERE {where}")
        else:
            yield view, (f"SELECT {_OF}, bytes, e.key AS {key}, e.value AS {value} FROM (SELECT *, "
                         f"unnest(map_entries({column})) AS e FROM aligned WHERE {where}) a")
    acks = []
    for column, given in (("acked", "true"), ("pending", "false")):
        columns = f"{_OF}, emergency_source, emergency_time"
        if engine == schema.SPARK:
            acks.append(f"SELECT {columns}, acker, {given} AS given FROM aligned LATERAL VIEW explode({column}) x AS acker "
                        f"WHERE {_TAKEN}")
        else:
            acks.append(f"SELECT {columns}, acker, {given} AS given FROM (SELECT *, unnest({column}) AS acker "
                        f"FROM aligned WHERE {_TAKEN}) a")
    yield "ack", " UNION ALL ".join(acks)


# Where a capture's clock is known, `at_us` is by the clock of its group's reference (cli.md, "Clocks").
_ALIGNED = """SELECT m.*, c.reference AS clock_reference, c.capture IS NOT NULL AS is_aligned,
  CAST(CASE WHEN c.capture IS NULL THEN m.time_us
    ELSE m.time_us - c.offset_us - (m.time_us - c.offset_us - c.origin_us) * c.drift / (1 + c.drift) END AS BIGINT) AS at_us
FROM message m LEFT JOIN clock c ON m.capture = c.capture"""


def day_of(record):
    return (record.get("first") or "unknown")[:10]


def mesh_of(record):
    """The mesh that the folder says, as mesh=NAME; else what the devices said."""
    named = re.search(r"(?:^|/)mesh=([^/]+)/", record["file"])
    return named[1] if named else record.get("mesh") or "unknown"


def key_of(record):
    """What a capture is called in the lake: its checksum, or its name where it has none."""
    return record.get("sha256") or "file:" + record["file"]


def batch_name(keys):
    return hashlib.sha256("\n".join(sorted(keys)).encode()).hexdigest()[:16]


class Lake:
    """What both engines share."""
    engine = None

    def __init__(self, root):
        self.root = root if "://" in root else os.path.abspath(root)

    @property
    def is_local(self):
        return "://" not in self.root

    def place(self, *parts):
        return "/".join([self.root.rstrip("/"), *parts])

    @contextlib.contextmanager
    def locked(self):
        """One ingest at a time; what one that was ended left behind goes first."""
        if not self.is_local:
            yield
            return
        os.makedirs(self.root, exist_ok=True)
        with open(self.place(".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._remove_leftovers()
            yield

    def _remove_leftovers(self):
        shutil.rmtree(self.place("_staging"), ignore_errors=True)
        folder = self.place("capture")
        whole = set()
        for name in os.listdir(folder) if os.path.isdir(folder) else []:
            if name.endswith(".parquet"):
                whole.add(name.removesuffix(".parquet"))
            else:
                os.unlink(os.path.join(folder, name))
        for base, _, names in os.walk(self.place("message")):
            for name in names:
                if name.split("_")[0] not in whole:
                    os.unlink(os.path.join(base, name))

    def known(self):
        return {row[0] for row in self.rows("SELECT DISTINCT capture FROM capture")}

    def make_views(self):
        self._base_views()
        self.view("aligned", _ALIGNED)
        for name, text in _nested_views(self.engine):
            self.view(name, text)

    def columns(self, text):
        raise NotImplementedError


class DuckLake(Lake):
    engine = schema.DUCKDB

    def __init__(self, root, threads=None, memory=None):
        import duckdb
        super().__init__(root)
        self.db = duckdb.connect()
        self.db.execute("SET TimeZone = 'UTC'")
        if threads:
            self.db.execute(f"SET threads = {int(threads)}")
        if memory:
            self.db.execute(f"SET memory_limit = '{memory}'")
        self.make_views()

    def close(self):
        self.db.close()

    def view(self, name, text):
        self.db.execute(f"CREATE OR REPLACE VIEW {name} AS {text}")

    def query(self, text):
        cursor = self.db.execute(text)
        return [d[0] for d in cursor.description], cursor.fetchall()

    def rows(self, text):
        return self.query(text)[1]

    def _base_views(self):
        files = self._quoted(self.place("capture", "*.parquet"))
        has = self.is_local and os.path.isdir(self.place("capture")) and any(
            n.endswith(".parquet") for n in os.listdir(self.place("capture")))
        self.view("capture", f"SELECT * FROM read_parquet({files}, union_by_name=true)" if has
                  else schema.empty_select(schema.CAPTURE, self.engine))
        messages = self._quoted(self.place("message", "*", "*", "*.parquet"))
        has_messages = os.path.isdir(self.place("message")) and any(
            names for _, _, names in os.walk(self.place("message")))
        names = ", ".join(["capture", "file"] + [c[0] for c in schema.MESSAGE] + ["day", "mesh"])
        self.view("message", f"SELECT {names} FROM read_parquet({messages}, hive_partitioning=true, hive_types_autocast=false, "
                  f"union_by_name=true) WHERE capture IN (SELECT capture FROM capture)" if has_messages
                  else schema.empty_select(schema.MESSAGE, self.engine))
        clock = self.place("clock", "clock.parquet")
        self.view("clock", f"SELECT * FROM read_parquet({self._quoted(clock)})" if os.path.exists(clock)
                  else schema.empty_select(schema.CLOCK, self.engine))

    @staticmethod
    def _quoted(text):
        return "'" + text.replace("'", "''") + "'"

    def ingest(self, uris, options, batch_size, progress=lambda done: None):
        """Reads captures in batches; each is there whole or not at all."""
        from . import reader
        for start in range(0, len(uris), batch_size):
            batch = uris[start:start + batch_size]
            with tempfile.NamedTemporaryFile(suffix=".ndjson") as spool:
                for line in reader.lines_of(batch, options):
                    spool.write(line)
                spool.flush()
                self._write_batch(spool.name)
            progress(min(start + batch_size, len(uris)))
        self.make_views()

    def _write_batch(self, spool):
        columns = ", ".join(f"'{name}': '{schema.spell(kind, self.engine)}'" for name, kind in schema.RECORD.items())
        self.db.execute(f"CREATE OR REPLACE TEMP TABLE line AS SELECT * FROM read_json({self._quoted(spool)}, "
                        f"format='newline_delimited', columns={{{columns}}}, maximum_object_size=67108864)")
        # The same rules as in Python, which the tests of both engines hold together.
        self.db.execute("""CREATE OR REPLACE TEMP TABLE closed AS SELECT *, coalesce(sha256, 'file:' || file) AS capture,
          coalesce(strftime("first", '%Y-%m-%d'), 'unknown') AS day,
          coalesce(nullif(regexp_extract(file, '(?:^|/)mesh=([^/]+)/', 1), ''), mesh, 'unknown') AS mesh_name
          FROM line WHERE scope = 'capture'""")
        keys = [r[0] for r in self.rows("SELECT capture FROM closed")]
        name = batch_name(keys)
        joined = "SELECT l.* EXCLUDE (mesh), c.capture, c.day, c.mesh_name AS mesh FROM line l JOIN closed c USING (file)"
        os.makedirs(self.place("message"), exist_ok=True)
        os.makedirs(self.place("capture"), exist_ok=True)
        messages = schema.message_select(joined + " WHERE l.scope IS NULL", self.engine)
        if self.rows("SELECT count(*) FROM line WHERE scope IS NULL")[0][0]:
            self.db.execute(f"COPY ({messages}) TO {self._quoted(self.place('message'))} (FORMAT parquet, COMPRESSION zstd, "
                            f"PARTITION_BY (day, mesh), FILENAME_PATTERN '{name}_{{i}}', OVERWRITE_OR_IGNORE true)")
        captures = schema.capture_select("SELECT * EXCLUDE (mesh, mesh_name), mesh_name AS mesh FROM closed", self.engine)
        path = self.place("capture", name + ".parquet")
        self.db.execute(f"COPY ({captures}) TO {self._quoted(path + '.part')} (FORMAT parquet, COMPRESSION zstd)")
        os.replace(path + ".part", path)

    def pairs(self, text):
        """The rows of a query as (mesh, list of rows), one mesh after the other."""
        from itertools import groupby
        for mesh, rows in groupby(self.rows(text), key=lambda r: r[0]):
            yield mesh, [r[1:] for r in rows]

    def write_clocks(self, text):
        from . import clocks
        rows = []
        for mesh, pairs in self.pairs(text + " ORDER BY 1"):
            rows += clocks.solve(mesh, pairs)
        clocks.write(rows, self.place("clock"))
        self.make_views()
        return len(rows)
