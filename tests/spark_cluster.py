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
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import shoal

WAIT_S = 900
"""A busy machine is not a failed test."""

QUICK = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""Processes of Java that live for a minute are better compiled in haste."""

_LOOK_S = 0.5
_PARENT_DEATH = 1  # PR_SET_PDEATHSIG
_MASTER, _WORKER = (f"org.apache.spark.deploy.{name}" for name in ("master.Master", "worker.Worker"))


class Spent(NamedTuple):
    """Who started a process, and the CPU seconds that it took itself."""

    parent: int
    seconds: float


@dataclass
class Watched:
    """What was seen of processes: the largest of executors in GB, and CPU seconds, the cluster's and all others'."""

    python_gb: float = 0.0
    java_gb: float = 0.0
    cluster_cpu_s: float = 0.0
    driver_cpu_s: float = 0.0

    @property
    def cpu_s(self) -> float:
        return self.cluster_cpu_s + self.driver_cpu_s


class Cluster:
    """Started by making it, ended by :meth:`stop`, process by process.

    Parameters
    ----------
    folder
        For logs, for the workers' files and for what executors spill.
    workers, memory_mb
        How many, with one core each, and so much memory.
    quick
        Whether their Java is compiled in haste.
    """

    def __init__(self, folder: Path, workers: int = 2, memory_mb: int = 1024, *, quick: bool = True) -> None:
        self.folder, self.memory_mb, self.quick = folder, memory_mb, quick
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

    @contextmanager
    def watched(self) -> Iterator[Watched]:
        """Look at all processes while something runs, and tell what they took once it is over."""
        found, over = Watched(), threading.Event()
        ours, before = {process.pid for process in self.processes}, _spent_by_all(os.getpid())
        spent = dict(before)

        def look() -> None:
            while not over.wait(_LOOK_S):
                for worker in self.workers:
                    found.python_gb = max([found.python_gb, *map(_peak_gigabytes, self.python_workers(worker))])
                    found.java_gb = max([found.java_gb, *map(_peak_gigabytes, self.executors(worker))])
                spent.update(_spent_by_all(os.getpid()))
            found.driver_cpu_s -= time.thread_time()  # this very look

        looking = threading.Thread(target=look)
        looking.start()
        try:
            yield found
        finally:
            over.set()
            looking.join()
            spent.update(_spent_by_all(os.getpid()))
            members = _families(spent, ours)
            for one, seconds in spent.items():
                took = seconds.seconds - (before[one].seconds if one in before else 0.0)
                if one in members:
                    found.cluster_cpu_s += took
                else:
                    found.driver_cpu_s += took

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
            **(QUICK if self.quick else {}),
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


def _spent_by_all(root: int) -> dict[tuple[int, int], Spent]:
    """Of a process and all whom it started, by number and time of birth, whom they belong to and what each took itself.

    Asked while they live: workers of Python that have nothing to do end, and nobody counts in what they took.
    """
    found: dict[tuple[int, int], Spent] = {}
    todo = [(root, 0)]
    while todo:
        pid, parent = todo.pop()
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found[pid, int(fields[19])] = Spent(parent, sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK"))
        todo += [(child, pid) for child in children(pid)]
    return found


def _families(spent: dict[tuple[int, int], Spent], roots: set[int]) -> set[tuple[int, int]]:
    """Those of the processes that some roots started, and the roots."""
    parent = {pid: one.parent for (pid, _), one in spent.items()}

    def is_member(pid: int) -> bool:
        while pid and pid not in roots:
            pid = parent.get(pid, 0)
        return pid in roots

    return {(pid, birth) for pid, birth in spent if is_member(pid)}


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
