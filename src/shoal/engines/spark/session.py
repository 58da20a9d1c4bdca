"""Sessions of Spark: one of ours, made so that nothing of the data lies readable on a disk, or one that was given."""

import os
import re
import shutil
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ParameterError, ShoalError, given
from shoal.files.roots import Root

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENCRYPTED = "spark.io.encryption.enabled"
"""Shuffles, spills and cached blocks are encrypted with a key of the application, which no disk ever sees."""

_LOOPBACK = re.compile(r"local(\[.*\])?|spark://(127\.0\.0\.1|localhost)(:\d+)?")

_GATEWAY = "PYSPARK_GATEWAY_PORT"
"""Set by `spark-submit`."""

_ONE_THREAD = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS")

_LOG = """rootLogger.level = off
rootLogger.appenderRef.nobody.ref = nobody
appender.nobody.type = Null
appender.nobody.name = nobody
"""
"""What fails is told by us; Spark's own words about it may quote what was worked on. Without an appender Spark would
take this for no settings at all, and its own in their place."""


def is_session(value: object) -> bool:
    """Tell a session of Spark without loading pyspark: whoever has one has loaded it.

    >>> is_session("local[2]")
    False
    """
    loaded = sys.modules.get("pyspark.sql")
    return loaded is not None and isinstance(value, loaded.SparkSession)


def open_session(master: str | None, root: Root, *, unencrypted: bool) -> "SparkSession":
    """Open a session of ours.

    Parameters
    ----------
    master
        Its URL. None is what `spark-submit` says, or this machine.
    root
        Where the driver, and on one machine everybody, keeps what does not fit into memory.
    unencrypted
        Leave encryption as `spark-submit` has it, even if that is off.
    """
    session_of = _pyspark().SparkSession
    if session_of.getActiveSession() is not None:
        raise ParameterError(
            "a session of Spark that is open in this process already",
            expected="one session at a time",
            hint="give it as `engine`, or stop it first",
        )
    _refuse_without_java()
    submitted = _submitted()
    master = master or submitted.get("spark.master") or "local[*]"
    if submitted.get(ENCRYPTED) == "false" and not unencrypted:
        raise not_encrypted()
    builder = session_of.builder.master(master).appName("shoal")
    for name, value in _settings(master, root).items():
        if name not in submitted:
            builder = builder.config(name, value)
    if _LOOPBACK.fullmatch(master):
        # Spark would take whatever is called python3 there.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    _calm()
    try:
        session: SparkSession = builder.getOrCreate()
    except Exception:
        raise ShoalError(
            f"no session of Spark at {given('master', master)}",
            expected="a master that answers",
            hint="check its URL, and that its version is that of pyspark here",
        ) from None
    session.sparkContext.setLogLevel("OFF")
    return session


def stop(session: "SparkSession") -> None:
    """Stop a session of ours; one whose process of Java is gone has stopped."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]

    with suppress(Py4JError, ConnectionError):
        session.stop()


def check_session(session: "SparkSession", *, unencrypted: bool) -> None:
    """Refuse a given session that writes what it works on to disk as it is."""
    _calm()
    if not is_encrypted(session) and not unencrypted:
        raise not_encrypted()


def is_encrypted(session: "SparkSession") -> bool:
    return str(session.sparkContext.getConf().get(ENCRYPTED, "false")).lower() == "true"


def not_encrypted() -> ParameterError:
    return ParameterError(
        "a session of Spark that writes what it shuffles to disk unencrypted",
        expected=f"{ENCRYPTED}=true when the session is made",
        hint="set it; `allow_unencrypted_spill=True` works without, and the run's record says so",
    )


def _calm() -> None:
    """pyspark warns of versions of pandas, of which nothing is used here."""
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)


def _settings(master: str, root: Root) -> dict[str, str]:
    """What sessions of ours are made with."""
    log = root.path / "log4j2.properties"
    log.write_text(_LOG)
    settings = {
        ENCRYPTED: "true",
        "spark.local.dir": str(root.path),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.rpc.message.maxSize": "1024",
        # Room for two buckets, several times over as they are unpacked; Spark alone would take half of that.
        "spark.driver.memory": "2g",
        # A driver that has no memory left goes on without the part that failed, and work would never end.
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{log} -XX:+ExitOnOutOfMemoryError",
        # Machine code of kernels is kept per node; a task has one core.
        **{f"spark.executorEnv.{name}": "1" for name in _ONE_THREAD},
    }
    if _LOOPBACK.fullmatch(master):
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    return settings


def _submitted() -> dict[str, str]:
    """What `spark-submit` was told; nothing without it."""
    if _GATEWAY not in os.environ:
        return {}
    from pyspark import SparkConf, SparkContext

    SparkContext._ensure_initialized()  # settings are in the process of Java that spark-submit started
    return dict(SparkConf().getAll())


def _pyspark() -> Any:
    try:
        import pyspark.sql
    except ImportError:
        raise ShoalError(
            "no pyspark",
            expected="pyspark 3.5 or newer for the engine on Spark",
            hint="install it: pip install 'shoal[spark]'",
        ) from None
    return pyspark.sql


def _refuse_without_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if (home and Path(home, "bin", "java").exists()) or shutil.which("java") or _GATEWAY in os.environ:
        return
    raise ShoalError(
        "no Java",
        expected="Java 17 or newer for the engine on Spark",
        hint="install it: apt install openjdk-17-jre-headless, or name its place with JAVA_HOME",
    )
