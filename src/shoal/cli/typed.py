"""Parameters as they are typed: text stays text, without pydantic.

Typer converts every value with pydantic, which takes longer to load than a small command to run. Nearly all our
parameters are text, which the library checks, or paths of what can be read or is yet to be: nothing is to convert.
"""

import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple


def take_as_typed(parameters: Iterable[Any]) -> None:
    """Let typer's parameters convert their values as ever, but load pydantic only where there is something to do."""
    for parameter in parameters:
        typers = getattr(parameter, "get_runtime_param", None)
        if typers is not None:
            parameter.get_runtime_param = partial(_AsTyped, typers)


class _AsTyped(NamedTuple):
    """What converts the value of one parameter, in the place of typer's own, which it asks where something is to do."""

    typers: Callable[[], Any]

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value as typer would."""
        if param.nargs == 1 and not param.multiple:
            kind = param.type_descriptor.annotation
            if value is None or (kind is str and _plain(value)):
                return value
            if kind is Path and _plain(value) and (os.access(value, os.R_OK) or not os.access(value, os.F_OK)):
                return Path(value)
        return self.typers().coerce(value, param=param, ctx=ctx)


def _plain(value: Any) -> bool:
    """Whether a value is text through and through: bytes that are none are typed, too, and pydantic refuses them."""
    return isinstance(value, str) and value.isprintable()
