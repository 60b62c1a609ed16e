"""Captures through peat-inspect: lines of records, of which one closes each capture.

A bad capture never raises: it becomes its closing record. A wrong call of the tool does raise, for then every
capture would be wrong."""
import hashlib
import json
import os
import resource
import stat
import subprocess
import tempfile
import threading

CHUNK = 1 << 20


class ToolError(RuntimeError):
    """The tool is missing, or was called in a wrong way."""


class Options:
    """How captures are read; plain values, so that they travel to workers."""

    def __init__(self, tool="peat-inspect", jobs=1, time_limit=900, memory=4 << 30, keys=None, stream=False):
        self.tool, self.jobs, self.time_limit, self.memory = tool, jobs, time_limit, memory
        self.keys, self.stream = keys, stream

    def words(self):
        return ["-q", "-f", "ndjson", "--facts"] + (["--keys", self.keys] if self.keys else [])


def is_remote(uri):
    return "://" in uri and not uri.startswith("file://")


def opened(uri):
    """A file-like object with the bytes of a capture, from disk or object storage."""
    if not is_remote(uri):
        return open(uri.removeprefix("file://"), "rb")
    from pyarrow import fs
    system, path = fs.FileSystem.from_uri(uri.replace("s3a://", "s3://", 1))
    return system.open_input_stream(path)


def listing(root):
    """All files below a folder or a prefix of object storage, as absolute names, ascending.

    Names must be absolute: workers of a cluster have other working folders."""
    if is_remote(root):
        from pyarrow import fs
        system, path = fs.FileSystem.from_uri(root.replace("s3a://", "s3://", 1))
        scheme, bare = root.split("://", 1)[0], path.rstrip("/")
        found = system.get_file_info(fs.FileSelector(bare, recursive=True))
        return sorted(f"{scheme}://{i.path}" for i in found if i.type != fs.FileType.Directory)
    root = os.path.abspath(root.removeprefix("file://"))
    if not os.path.isdir(root):
        return [root] if os.path.exists(root) else []
    files = []
    for folder, _, names in os.walk(root, followlinks=True):
        files += [os.path.join(folder, n) for n in names if not n.startswith(".")]
    return sorted(files)


def fingerprint(uri):
    """The capture's SHA-256; None for what is no regular file, such as a pipe that nobody writes to."""
    digest = hashlib.sha256()
    try:
        if not is_remote(uri) and not stat.S_ISREG(os.stat(uri.removeprefix("file://")).st_mode):
            return None
        with opened(uri) as file:
            while piece := file.read(CHUNK):
                digest.update(piece)
    except OSError:
        return None
    return digest.hexdigest()


def _limited(memory):
    def limit():
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    return limit


def _checked(status, error):
    if status in (2, 126, 127):
        raise ToolError(f"peat-inspect was called wrongly (status {status}): {error.strip()[:400]}")


def lines_of(uris, options):
    """Yields lines of bytes: each capture's messages, then its closing record."""
    local = [u for u in uris if not is_remote(u) and not options.stream]
    if local:
        yield from _of_files(local, options)
    for uri in uris:
        if is_remote(uri) or options.stream:
            yield from _of_stream(uri, options)


def _of_files(files, options):
    with tempfile.TemporaryFile() as names, tempfile.TemporaryFile() as error:
        names.write(b"\0".join(os.fsencode(f.removeprefix("file://")) for f in files) + b"\0")
        names.seek(0)
        words = [options.tool, "inspect", "--each", "--jobs", str(options.jobs), "--time-limit",
                 str(options.time_limit), *options.words(), "@-"]
        try:
            process = subprocess.Popen(words, stdin=names, stdout=subprocess.PIPE, stderr=error,
                                       preexec_fn=_limited(options.memory))
        except OSError as fault:
            raise ToolError(f"{options.tool}: {fault.strerror}") from None
        closed = set()
        try:
            for line in process.stdout:
                if not line.endswith(b"\n"):
                    break
                if line.startswith(b'{"schema":1,"scope":"capture"'):
                    closed.add(json.loads(line)["file"])
                yield line
            status = process.wait()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        error.seek(0)
        _checked(status, error.read(4000).decode(errors="replace"))
    # The tool itself was killed: what it did not come to is told too.
    for file in files:
        name = file.removeprefix("file://")
        if name not in closed:
            yield _closing(name, "crashed", f"peat-inspect ended with status {status}")


def _of_stream(uri, options):
    with tempfile.TemporaryFile() as error:
        words = [options.tool, "inspect", *options.words(), "--name", uri, "-"]
        try:
            process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=error,
                                       preexec_fn=_limited(options.memory))
        except OSError as fault:
            raise ToolError(f"{options.tool}: {fault.strerror}") from None
        late = threading.Event()

        def give_up():
            late.set()
            process.kill()

        timer = threading.Timer(options.time_limit, give_up) if options.time_limit else None
        failure = []

        def feed():
            try:
                with opened(uri) as file:
                    while piece := file.read(CHUNK):
                        process.stdin.write(piece)
            except BrokenPipeError:
                pass
            except OSError as fault:
                failure.append(str(fault))
            finally:
                try:
                    process.stdin.close()
                except OSError:
                    pass

        feeder = threading.Thread(target=feed, daemon=True)
        feeder.start()
        if timer:
            timer.start()
        is_closed = False
        try:
            for line in process.stdout:
                if not line.endswith(b"\n"):
                    break
                is_last = line.startswith(b'{"schema":1,"scope":"capture"')
                if is_last and failure:
                    line = _closing(uri, "unreadable", failure[0])
                is_closed = is_closed or is_last
                yield line
            status = process.wait()
        finally:
            if timer:
                timer.cancel()
            if process.poll() is None:
                process.kill()
                process.wait()
        error.seek(0)
        _checked(status, error.read(4000).decode(errors="replace"))
        if not is_closed:
            if late.is_set():
                yield _closing(uri, "timed-out", f"was not read within {options.time_limit} seconds")
            else:
                yield _closing(uri, "crashed", f"peat-inspect ended with status {status}")


def _closing(name, outcome, reason):
    record = {"schema": 1, "scope": "capture", "file": name, "outcome": outcome, "reason": reason}
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"
