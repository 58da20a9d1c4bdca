"""How to understand an input."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from shoal.data.times import check_zone
from shoal.errors import ParameterError, did_you_mean, given

BadRows = Literal["stop", "drop"]

_HELP = "help"
"""Where an option has a sentence for people: the command line and the recipes show it."""


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

    columns: Mapping[str, str] | None = field(default=None, metadata={_HELP: "Other column names."})
    schema: str | None = field(
        default=None, metadata={_HELP: "skmob, trackintel, movingpandas, geolife or cabspotting."}
    )
    cells: Any = field(default=None, metadata={_HELP: "Table of cell, lat, lng for inputs that name cells."})
    cells_columns: Mapping[str, str] | None = field(default=None, metadata={_HELP: "Other column names in that table."})
    tz: str | None = field(default=None, metadata={_HELP: "Zone of times that carry none."})
    person: str | None = field(default=None, metadata={_HELP: "Column of the person, where several uids are one."})
    bad_rows: BadRows = field(
        default="stop", metadata={_HELP: "stop at a row that breaks a rule, or drop and count such rows."}
    )
    allow_zero: bool = field(default=False, metadata={_HELP: "Accept the position (0, 0)."})

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


def help_of(name: str) -> str:
    """What an option is for, in a sentence.

    >>> help_of("tz")
    'Zone of times that carry none.'
    """
    return str(next(one.metadata[_HELP] for one in fields(ReadOptions) if one.name == name))


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
