"""A standalone cluster on this machine: a master and workers of the installed package, on loopback only."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import shoal

WAIT_S = 900
"""A busy machine is not a failed test."""

QUICK = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""Processes of Java that live for a minute are better compiled in haste."""

_LOOK_S = 0.1
_PARENT_DEATH = 1  # PR_SET_PDEATHSIG
_MASTER, _WORKER = (f"org.apache.spark.deploy.{name}" for name in ("master.Master", "worker.Worker"))


class Cluster:
    """Started by making it, ended by :meth:`stop`, process by process.

    Parameters
    ----------
    folder
        For logs, for the workers' files and for what executors spill.
    workers, memory_mb
        How many, with one core each, and so much memory.
    """

    def __init__(self, folder: Path, workers: int = 2, memory_mb: int = 1024) -> None:
        self.folder, self.memory_mb = folder, memory_mb
        self.port = _free_port()
        self.url = f"spark://127.0.0.1:{self.port}"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.master = self._start(_MASTER, "master", "--port", str(self.port))
        self._wait_for("master", "New state: ALIVE")
        self.workers: list[subprocess.Popen[bytes]] = []
        for _ in range(workers):
            self.add_worker()

    @property
    def spill(self) -> Path:
        """Where executors keep what does not fit into memory, and what they shuffle."""
        return self.folder / "spill"

    def add_worker(self) -> None:
        name = f"worker-{len(self.processes)}"
        arguments = ("--cores", "1", "--memory", f"{self.memory_mb}m", "--work-dir", str(self.folder / name), self.url)
        self.workers.append(self._start(_WORKER, name, *arguments))
        self._wait_for(name, "Successfully registered with master")

    def executors(self, worker: subprocess.Popen[bytes]) -> list[int]:
        """Processes of the executors of a worker."""
        return [pid for pid in children(worker.pid) if b"CoarseGrainedExecutorBackend" in command(pid)]

    def python_workers(self, worker: subprocess.Popen[bytes]) -> list[int]:
        """Processes that run Python for the executors of a worker: children of their daemons."""
        daemons = [pid for executor in self.executors(worker) for pid in children(executor)]
        return [pid for daemon in daemons for pid in children(daemon)]

    def cpu_seconds(self) -> float:
        """What the workers and all whom they started took so far."""
        return sum(cpu_seconds(worker.pid) for worker in self.workers)

    @contextmanager
    def watched(self) -> Iterator[dict[str, float]]:
        """Look at the processes of executors while something runs: the largest of each sort, in gigabytes."""
        peaks, over = {"python": 0.0, "java": 0.0}, threading.Event()

        def look() -> None:
            while not over.wait(_LOOK_S):
                for worker in self.workers:
                    for name, pids in (("python", self.python_workers(worker)), ("java", self.executors(worker))):
                        peaks[name] = max([peaks[name], *map(_peak_gigabytes, pids)])

        looking = threading.Thread(target=look)
        looking.start()
        try:
            yield peaks
        finally:
            over.set()
            looking.join()

    def stop(self) -> None:
        for process in reversed(self.processes):
            for executor in children(process.pid):
                end(executor)
            if process.poll() is None:
                process.kill()
            process.wait()

    def _start(self, name: str, log: str, *arguments: str) -> subprocess.Popen[bytes]:
        import pyspark

        home = Path(pyspark.__file__).parent
        loopback = dict.fromkeys(("SPARK_LOCAL_IP", "SPARK_MASTER_HOST", "SPARK_LOCAL_HOSTNAME"), "127.0.0.1")
        environment = {
            **os.environ,
            **loopback,
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_DIRS": str(self.spill),
            "SPARK_DAEMON_MEMORY": "256m",
            **QUICK,
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": str(Path(shoal.__file__).parents[1]),  # this checkout, whatever is installed
        }
        self.spill.mkdir(parents=True, exist_ok=True)
        with (self.folder / f"{log}.log").open("wb") as file:
            process = subprocess.Popen(
                [home / "bin" / "spark-class", name, "--host", "127.0.0.1", "--webui-port", "0", *arguments],
                stdout=file,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
                preexec_fn=_end_with_parent,  # a test run that is killed must leave nobody behind
            )
        self.processes.append(process)
        return process

    def _wait_for(self, log: str, words: str) -> None:
        end_at = time.monotonic() + WAIT_S
        while words not in (self.folder / f"{log}.log").read_text(errors="replace"):
            if time.monotonic() > end_at or self.processes[-1].poll() is not None:
                raise AssertionError((self.folder / f"{log}.log").read_text(errors="replace")[-3000:])
            time.sleep(0.1)


def children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()] + [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            if task.name != str(pid)
            for child in (task / "children").read_text().split()
        ]
    except OSError:
        return []


def command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _peak_gigabytes(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 2**20


def cpu_seconds(pid: int) -> float:
    """What a process and all whom it started took so far, whether these have ended or not."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + sum(map(cpu_seconds, children(pid)))


def end(pid: int) -> None:
    """Kill one process, as a lost machine would."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PARENT_DEATH, signal.SIGKILL)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
