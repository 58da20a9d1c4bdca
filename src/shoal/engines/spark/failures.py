"""Errors on their way from a task to the driver: ours as they are, of all others only what they are called.

Spark puts the text of an exception into its logs and its own errors. Text of other packages may quote the data.
"""

import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from shoal import errors
from shoal.errors import ShoalError

_MARK = "shoal-error:"
_CARRIED = re.compile(rf"{_MARK}(\{{.*?\}})(?=\s|$)")
_CLASSES = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, ShoalError)
}


class TaskError(Exception):
    """What a task says when it fails."""


def carried(error: Exception) -> TaskError:
    """Word an error of a task so that it can be read again on the driver."""
    if isinstance(error, ShoalError):
        told = {name: getattr(error, name) for name in ("found", "expected", "hint")}
        return TaskError(_MARK + _packed({"kind": type(error).__name__, **told}))
    return TaskError(_MARK + _packed({"kind": "", "found": type(error).__name__}))


def _packed(told: dict[str, str]) -> str:
    """JSON without a space, so that its end is found in the middle of other text."""
    return json.dumps(told, separators=(",", ":")).replace(" ", "\\u0020")


def careful(work: Callable[..., Iterable[Any]]) -> Callable[..., Iterator[Any]]:
    """Let a function that yields fail with nothing but what may be told."""

    @functools.wraps(work)
    def called(*given: Any, **named: Any) -> Iterator[Any]:
        try:
            yield from work(*given, **named)
        except Exception as error:
            raise carried(error) from None

    return called


@contextmanager
def failures_told() -> Iterator[None]:
    """Turn what Spark raises into an error of ours."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException, ConnectionError, EOFError) as problem:  # the last two: Java is gone
        raise read_again(str(problem)) from None


def read_again(text: str) -> ShoalError:
    """Find the error of a task in the text of Spark's.

    >>> read_again("Task failed\\n" + str(carried(errors.DataError("no rows", expected="some", hint="look"))) + "\\n")
    DataError('no rows; expected some; hint: look')
    >>> read_again("Task failed\\n" + str(carried(KeyError("secret")))).found
    'a task that failed on Spark (KeyError)'
    >>> read_again("out of memory").found
    'a job that failed on Spark'
    """
    found = _CARRIED.search(text)
    told = json.loads(found[1]) if found else {"kind": "", "found": ""}
    if told["kind"] in _CLASSES:
        return _CLASSES[told["kind"]](told["found"], expected=told["expected"], hint=told["hint"])
    return ShoalError(
        f"a task that failed on Spark ({told['found']})" if told["found"] else "a job that failed on Spark",
        expected="tasks that end",
        hint="see the logs of the executors: memory that ran out, lost machines and missing packages stand there; "
        "or give the driver more memory",
    )
