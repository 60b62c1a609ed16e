"""The lake on a standalone cluster of two workers on the loopback interface: `make test-cluster`.

The rows are those of local[1], also where a worker is killed in the middle."""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

os.environ["FLEET_ENGINE"] = "spark"
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
os.environ["PYSPARK_PYTHON"] = sys.executable

import generate
import test_fleet
from peat_fleet import cli


def spark_class():
    import pyspark
    return os.path.join(os.path.dirname(pyspark.__file__), "bin", "spark-class")


class Cluster:
    def __init__(self, folder, workers=2):
        self.folder, self.processes = folder, []
        self.master = self.start("master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0",
                                 "--webui-port", "0")
        self.url = self.wait(0, r"(spark://127\.0\.0\.1:\d+)")
        for i in range(workers):
            self.start(f"worker{i}", "org.apache.spark.deploy.worker.Worker", self.url, "--host", "127.0.0.1", "--cores", "1",
                       "--memory", "1g", "--webui-port", "0", "--work-dir", f"{folder}/work{i}")
            self.wait(i + 1, r"(Successfully registered)")

    def start(self, name, *words):
        with open(f"{self.folder}/{name}.log", "w") as log:
            process = subprocess.Popen([spark_class(), *words], stdout=log, stderr=log, start_new_session=True)
        self.processes.append((process, f"{self.folder}/{name}.log"))
        return process

    def wait(self, place, pattern):
        process, log = self.processes[place]
        until = time.monotonic() + 120
        while time.monotonic() < until and process.poll() is None:
            found = re.search(pattern, open(log).read())
            if found:
                return found[1]
            time.sleep(0.2)
        raise RuntimeError(open(log).read()[-2000:])

    def stop(self):
        for process, _ in self.processes:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


class ClusterTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="peat-cluster-")
        generate.fleet(cls.folder + "/captures", days=1)
        test_fleet.MASTER = "local[1]"
        test_fleet.ingest(cls.folder + "/captures", cls.folder + "/local")
        cls.rows = cls.all_rows(cls.folder + "/local")
        cls.cluster = Cluster(cls.folder)
        test_fleet.MASTER = cls.cluster.url

    @classmethod
    def tearDownClass(cls):
        cls.cluster.stop()
        shutil.rmtree(cls.folder)

    @staticmethod
    def all_rows(lake):
        return test_fleet.ask_sql(lake, "SELECT * FROM message ORDER BY capture, frame, id") + test_fleet.ask_sql(
            lake, "SELECT * FROM capture ORDER BY capture")

    def test_same_rows(self):
        lake = self.folder + "/cluster"
        status, summary, error = test_fleet.ingest(self.folder + "/captures", lake)
        self.assertEqual((status, summary["captures"]), (0, 21), error)
        self.assertEqual(self.all_rows(lake), self.rows)

    def test_worker_killed(self):
        lake = self.folder + "/killed"
        # One capture is a pipe: who reads it is on the way when its worker ends. The second reader gets the bytes.
        captures = self.folder + "/some"
        shutil.copytree(self.folder + "/captures", captures, dirs_exist_ok=True)
        pipe = captures + "/held.btsnoop"
        os.mkfifo(pipe)
        some = glob.glob(self.folder + "/captures/mesh=calm/*/*")[0]
        killed = []

        def kill_worker():
            with open(pipe, "wb"):
                for i in range(2):
                    process, _ = self.cluster.processes[i + 1]
                    children = children_of(process.pid)
                    if any(holds(c, pipe) for c in children):
                        for child in [process.pid, *children]:
                            try:
                                os.kill(child, signal.SIGKILL)
                            except ProcessLookupError:
                                pass
                        killed.append(i)
                        break
            with open(pipe, "wb") as file:
                file.write(open(some, "rb").read())

        thread = threading.Thread(target=kill_worker, daemon=True)
        thread.start()
        status, summary, error = test_fleet.ingest(captures, lake, "--batch", "2")
        thread.join(5)
        self.assertEqual(len(killed), 1)
        self.assertEqual((status, summary["captures"]), (0, 22), error)
        known = set(map(str, self.rows))
        rows = [r for r in self.all_rows(lake) if not r["capture"].startswith("file:")]
        other = [r["capture"] for r in test_fleet.ask_sql(lake, "SELECT capture FROM capture")]
        self.assertEqual(len(other), 22)
        self.assertEqual(len(set(other)), 22)
        self.assertEqual({str(r).replace("/some/", "/captures/") for r in rows}, known)


def children_of(pid):
    found, queue = [], [pid]
    while queue:
        one = queue.pop()
        for path in glob.glob(f"/proc/{one}/task/*/children"):
            try:
                new = [int(n) for n in open(path).read().split()]
            except OSError:
                continue
            found += new
            queue += new
    return found


def holds(pid, path):
    for entry in glob.glob(f"/proc/{pid}/fd/*"):
        try:
            if os.readlink(entry) == path:
                return True
        except OSError:
            pass
    return False


if __name__ == "__main__":
    unittest.main()
