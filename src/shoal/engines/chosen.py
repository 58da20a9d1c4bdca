"""Which engine somebody means: by an engine, a session of Spark, a master's URL, or nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from shoal.engines import Engine
from shoal.engines.local import Local
from shoal.engines.spark import Spark
from shoal.engines.spark.session import is_session
from shoal.errors import ParameterError, did_you_mean, given

ENGINES = ("local", "spark")


@contextmanager
def engine_for(meant: Any) -> Iterator[Engine]:
    """Give the engine that somebody means; one that is opened here is closed at the end.

    Parameters
    ----------
    meant
        An engine, a ``SparkSession``, the URL of a master, or None for this process.

    Examples
    --------
    >>> with engine_for(None) as engine:
    ...     engine
    Local(threads=None, beside=None)
    """
    if meant is None:
        yield Local()
    elif is_session(meant):
        yield Spark(meant)
    elif isinstance(meant, str):
        with Spark(master=meant) as engine:
            yield engine
    elif hasattr(meant, "map") and hasattr(meant, "workers"):
        yield cast(Engine, meant)
    else:
        raise ParameterError(
            f"`engine` of type {type(meant).__name__}",
            expected="an engine, a SparkSession, or the URL of a master",
            hint="for example engine='local[2]' or engine=Local(threads=2)",
        )


def named_engine(
    name: str, *, threads: int | None = None, master: str | None = None, allow_unencrypted_spill: bool = False
) -> Engine:
    """Make an engine from what was typed; options of the other one are refused, not ignored.

    Parameters
    ----------
    name
        One of `ENGINES`.
    threads
        Of the local one.
    master, allow_unencrypted_spill
        Of Spark's.

    Examples
    --------
    >>> named_engine("local", threads=2)
    Local(threads=2, beside=None)
    """
    if name == "local":
        if master is not None or allow_unencrypted_spill:
            option = given("master", master) if master is not None else "`allow_unencrypted_spill=True`"
            raise ParameterError(
                f"{option} for work in this process", expected="`engine='spark'` with it", hint="add it"
            )
        return Local(threads)
    if name == "spark":
        if threads is not None:
            raise ParameterError(
                f"{given('threads', threads)} for work on Spark",
                expected="a task per core, one thread each",
                hint="leave it out; `master='local[2]'` takes two cores of this machine",
            )
        return Spark(master=master, allow_unencrypted_spill=allow_unencrypted_spill)
    raise ParameterError(given("engine", name), expected=" or ".join(ENGINES), hint=did_you_mean(name, ENGINES))
