"""How to understand an input."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from shoal.data.times import check_zone
from shoal.errors import ParameterError, did_you_mean, given

BadRows = Literal["stop", "drop"]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to understand an input; the same names as on the command line.

    >>> ReadOptions(tz="Africa/Abidjan", bad_rows="drop").bad_rows
    'drop'

    Attributes
    ----------
    columns
        ``{canonical name: column of the input}``, for inputs with other names.
    schema
        A preset: skmob, trackintel, movingpandas, geolife or cabspotting.
    cells
        The cells table (``cell, lat, lng``), for inputs that name cells.
    cells_columns
        ``{canonical name: column of the cells table}``, for one with other names.
    tz
        The zone of times that carry none.
    person
        A column that says who a uid belongs to, where one person has several.
    bad_rows
        ``stop`` at the first row that breaks a rule, or ``drop`` and count such rows.
    allow_zero
        Accept the position (0, 0).
    """

    columns: Mapping[str, str] | None = None
    schema: str | None = None
    cells: Any = None
    cells_columns: Mapping[str, str] | None = None
    tz: str | None = None
    person: str | None = None
    bad_rows: BadRows = "stop"
    allow_zero: bool = False

    def __post_init__(self) -> None:
        if self.tz is not None:
            check_zone(self.tz)
        if self.bad_rows not in ("stop", "drop"):
            raise ParameterError(given("bad_rows", self.bad_rows), expected="stop or drop", hint="stop is the default")
        for name, example in (("columns", "{'uid': 'sim'}"), ("cells_columns", "{'cell': 'site'}")):
            if not isinstance(getattr(self, name), Mapping | None):
                raise ParameterError(
                    f"`{name}` of type {type(getattr(self, name)).__name__}",
                    expected="a mapping of canonical names to columns of the input",
                    hint=f"for example {name}={example}",
                )


def chosen_options(options: ReadOptions | None, named: Mapping[str, Any]) -> ReadOptions:
    """Take options as one object, or by their names.

    >>> chosen_options(None, {"tz": "UTC"}).tz
    'UTC'
    """
    known = [field.name for field in fields(ReadOptions)]
    for name in named:
        if name not in known:
            raise ParameterError(
                f"`{name}`, which is unknown here", expected="an option of reading", hint=did_you_mean(name, known)
            )
    if options is None:
        return ReadOptions(**named)
    if named:
        raise ParameterError(
            f"`options` and also {', '.join(f'`{name}`' for name in named)}",
            expected="one or the other",
            hint="set it in `options`",
        )
    if not isinstance(options, ReadOptions):
        raise ParameterError(
            f"`options` of type {type(options).__name__}", expected="ReadOptions", hint="or give its fields by name"
        )
    return options
