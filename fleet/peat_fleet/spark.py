"""The lake on Apache Spark: the same tables and the same SQL as on DuckDB, on a cluster."""
import os
import sys
import tempfile

from . import clocks, reader, schema
from .lake import Lake, batch_name, day_of, key_of, mesh_of


def session(master, app="peat-fleet", memory=None):
    from pyspark.sql import SparkSession
    # Workers must use this Python: another one lacks pyarrow.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    builder = (
        SparkSession.builder.appName(app)
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
        .config("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
        .config("spark.sql.parquet.compression.codec", "zstd")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "2000")
        .config("spark.ui.enabled", "false").config("spark.log.level", "ERROR"))
    if master:
        builder = builder.master(master)
        if master.startswith("local") or "127.0.0.1" in master:
            # Nothing of a run on one machine is for its network.
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
            builder = (builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
                       .config("spark.sql.shuffle.partitions", "8"))
    if memory:
        builder = builder.config("spark.driver.memory", memory).config("spark.executor.memory", memory)
    return builder.getOrCreate()


def _read(options):
    """Runs in a task: the lines of each capture with what its closing record says of it."""
    def run(batches):
        import json
        import pyarrow as pa
        names = ["capture", "file", "day", "mesh", "line"]

        def batch(rows, whose):
            columns = [pa.array([w] * len(rows), pa.string()) for w in whose]
            return pa.record_batch(columns + [pa.array(rows, pa.string())], names=names)

        for table in batches:
            for files in table.column("files").to_pylist():
                # Which day and mesh messages are of is known once their capture is closed; until then they are on disk.
                spool = tempfile.TemporaryFile()
                for line in reader.lines_of(files, options):
                    spool.write(line)
                    if not line.startswith(b'{"schema":1,"scope":"capture"'):
                        continue
                    record = json.loads(line)
                    whose = [key_of(record), record["file"], day_of(record), mesh_of(record)]
                    spool.seek(0)
                    rows = []
                    for held in spool:
                        rows.append(held.decode())
                        if len(rows) == 2000:
                            yield batch(rows, whose)
                            rows = []
                    if rows:
                        yield batch(rows, whose)
                    spool.seek(0)
                    spool.truncate()
                spool.close()
    return run


class SparkLake(Lake):
    engine = schema.SPARK

    def __init__(self, root, master=None, memory=None):
        super().__init__(root)
        self.spark = session(master, memory=memory)
        self.make_views()

    def close(self):
        self.spark.stop()

    def view(self, name, text):
        self.spark.sql(text).createOrReplaceTempView(name)

    def query(self, text):
        frame = self.spark.sql(text)
        return frame.columns, [tuple(r) for r in frame.collect()]

    def rows(self, text):
        return self.query(text)[1]

    def _path(self, *parts):
        return self.spark._jvm.org.apache.hadoop.fs.Path(self.place(*parts))

    def _system(self):
        return self._path().getFileSystem(self.spark._jsc.hadoopConfiguration())

    def _found(self, pattern):
        return [str(s.getPath().toString()) for s in self._system().globStatus(self._path(*pattern)) or []]

    def _base_views(self):
        # A reader keeps its options, so each table has one of its own.
        read = lambda: self.spark.read.option("mergeSchema", "false")
        captures = self._found(["capture", "*.parquet"])
        if captures:
            read().parquet(*captures).createOrReplaceTempView("capture")
        else:
            self.view("capture", schema.empty_select(schema.CAPTURE, self.engine))
        names = ["capture", "file"] + [c[0] for c in schema.MESSAGE] + ["day", "mesh"]
        if self._found(["message", "day=*"]):
            frame = read().option("basePath", self.place("message")).parquet(self.place("message"))
            frame.select(*names).createOrReplaceTempView("message_file")
            self.view("message", "SELECT m.* FROM message_file m LEFT SEMI JOIN capture c ON m.capture = c.capture")
        else:
            self.view("message", schema.empty_select(schema.MESSAGE, self.engine))
        if self._found(["clock", "clock.parquet"]):
            read().parquet(self.place("clock", "clock.parquet")).createOrReplaceTempView("clock")
        else:
            self.view("clock", schema.empty_select(schema.CLOCK, self.engine))

    def fingerprints(self, uris):
        """The checksum of each capture, by the workers."""
        def hashed(rows):
            for uri in rows:
                yield uri, reader.fingerprint(uri)
        parts = max(1, min(len(uris), self.spark.sparkContext.defaultParallelism * 4))
        return self.spark.sparkContext.parallelize(uris, parts).mapPartitions(hashed).collect()

    def ingest(self, uris, options, batch_size, progress=lambda done: None):
        """Reads all captures in one job, one task a batch; what it wrote counts once all of it is there."""
        from pyspark.sql import functions as F
        batches = [uris[i:i + batch_size] for i in range(0, len(uris), batch_size)]
        if not batches:
            return
        name = batch_name(uris)
        jobs = self.spark.createDataFrame(
            self.spark.sparkContext.parallelize([(b,) for b in batches], len(batches)), "files ARRAY<STRING>")
        lines = jobs.mapInArrow(_read(options), "capture STRING, file STRING, day STRING, mesh STRING, line STRING")
        record = ", ".join(f"`{n}` {schema.spell(t, self.engine)}" for n, t in schema.RECORD.items())
        parsed = lines.select("capture", "file", "day", "mesh", F.from_json("line", record).alias("r"))
        kept = [n for n in schema.RECORD if n not in ("file", "mesh")]
        parsed.selectExpr("capture", "file", "day", "mesh", *[f"r.`{n}` AS `{n}`" for n in kept]
                          ).createOrReplaceTempView("parsed")
        try:
            self._write(name)
        except Exception as fault:
            # What a task says of a wrong call comes back wrapped; it is the same fault as on one machine.
            if "reader.ToolError" in str(fault):
                raise reader.ToolError(str(fault).split("ToolError:", 1)[-1].strip().splitlines()[0]) from None
            raise
        progress(len(uris))
        self.make_views()

    def _write(self, name):
        """Both tables in one pass over the captures: a wide one, of which each row fills one half."""
        expression = schema._expression
        messages = ", ".join(f"CAST({expression(e, self.engine)} AS {schema.spell(t, self.engine)}) AS {n}"
                             for n, t, e in schema.MESSAGE)
        captures = ", ".join(f"CAST({expression(e, self.engine)} AS {schema.spell(t, self.engine)}) AS c_{n}"
                             for n, t, e in schema.CAPTURE)
        wide = self.spark.sql(
            f"SELECT capture, file, {messages}, {captures}, CASE WHEN scope IS NULL THEN 'message' ELSE 'capture' END AS part, "
            f"day, mesh FROM (SELECT *, coalesce(doc.kotlin, doc.peripheral) AS shown FROM "
            f"(SELECT *, {expression(schema._DOC, self.engine)} AS doc FROM parsed) a) b")
        staging = self.place("_staging", name)
        wide.write.mode("overwrite").partitionBy("part", "day", "mesh").parquet(staging)
        system = self._system()
        moved = 0
        for day in self._found(["_staging", name, "part=message", "day=*"]):
            for mesh in self._found(["_staging", name, "part=message", day.rsplit("/", 1)[1], "mesh=*"]):
                target = ["message", day.rsplit("/", 1)[1], mesh.rsplit("/", 1)[1]]
                system.mkdirs(self._path(*target))
                for file in self._found(["_staging", name, "part=message", *target[1:], "*.parquet"]):
                    source = self.spark._jvm.org.apache.hadoop.fs.Path(file)
                    if not system.rename(source, self._path(*target, f"{name}_{moved}.parquet")):
                        raise OSError(f"{file} cannot be moved into the lake")
                    moved += 1
        columns = ["capture", "file"] + [f"c_{c[0]} AS {c[0]}" for c in schema.CAPTURE] + ["day", "mesh"]
        closed = self.spark.read.parquet(staging).where("part = 'capture'").selectExpr(*columns)
        closed.coalesce(1).write.mode("overwrite").parquet(staging + "-captures")
        # The last step makes the batch count.
        found = self._found(["_staging", name + "-captures", "*.parquet"])
        system.mkdirs(self._path("capture"))
        source = self.spark._jvm.org.apache.hadoop.fs.Path(found[0])
        if not system.rename(source, self._path("capture", name + ".parquet")):
            raise OSError("the captures cannot be moved into the lake")
        system.delete(self._path("_staging"), True)

    def write_clocks(self, text):
        def fit(table):
            import pyarrow as pa
            columns = {n: table.column(n).to_pylist() for n in table.column_names}
            mesh = columns["mesh"][0]
            rows = clocks.solve(mesh, list(zip(columns["sender"], columns["receiver"], columns["sent"], columns["received"])))
            names = ["capture", "mesh", "reference", "offset_us", "origin_us", "drift", "uncertainty_us", "messages"]
            kinds = [pa.string()] * 3 + [pa.float64()] * 4 + [pa.int64()]
            return pa.table([pa.array([r[i] for r in rows], k) for i, k in enumerate(kinds)], names=names)

        out = ("capture STRING, mesh STRING, reference STRING, offset_us DOUBLE, origin_us DOUBLE, drift DOUBLE, "
               "uncertainty_us DOUBLE, messages BIGINT")
        frame = self.spark.sql(text).groupBy("mesh").applyInArrow(fit, out).coalesce(1)
        staging = self.place("_staging", "clock")
        frame.write.mode("overwrite").parquet(staging)
        system = self._system()
        found = self._found(["_staging", "clock", "*.parquet"])
        system.mkdirs(self._path("clock"))
        system.delete(self._path("clock", "clock.parquet"), False)
        if found:
            system.rename(self.spark._jvm.org.apache.hadoop.fs.Path(found[0]), self._path("clock", "clock.parquet"))
        system.delete(self._path("_staging"), True)
        self.make_views()
        return self.rows("SELECT count(*) FROM clock")[0][0]
