"""The sections of a recipe and their keys; those of reading and of mechanisms follow from where they are declared."""

from dataclasses import MISSING, fields
from typing import get_type_hints

from shoal.data.grid import Grid
from shoal.data.options import ReadOptions, help_of
from shoal.mechanisms.base import Mechanism
from shoal.mechanisms.options import options_of
from shoal.recipes.keys import COLUMNS, FLAG, NUMBER, PAIRS, PATH, PATHS, SIZES, TEXT, WHOLE, Key, Kind
from shoal.release.ledger_file import DEFAULT_POPULATION

INPUT, MEASURE, PROTECT, AUDIT, UTILITY, OUTPUT = "input", "measure", "protect", "audit", "utility", "output"
COMPARE = "compare"
REQUIRED = (INPUT, PROTECT, OUTPUT)
ALL = (INPUT, MEASURE, PROTECT, COMPARE, AUDIT, UTILITY, OUTPUT)

_FILES = ("cells",)
"""Options of reading that name a file."""


_EXAMPLES = {
    "schema": '"skmob"',
    "cells_columns": '{ cell = "site", lat = "y", lng = "x" }',
    "tz": '"Europe/Rome"',
    "person": '"customer"',
}
"""Of options of reading that take more than their kind tells."""


def _kind_of(name: str) -> Kind:
    """The kind of an option of reading, by its type."""
    hint = str(get_type_hints(ReadOptions)[name])
    kind = PATH if name in _FILES else COLUMNS if "Mapping" in hint else FLAG if "bool" in hint else TEXT
    return kind._replace(example=_EXAMPLES.get(name, kind.example))


READING = tuple(Key(one.name, _kind_of(one.name), help_of(one.name), one.default) for one in fields(ReadOptions))

_GRID = (
    Key("grid_m", WHOLE, "Cell that samples are snapped to, metres.", Grid().cell_m),
    Key("grid_s", WHOLE, "Time step that samples are snapped to, seconds.", Grid().dt_s),
)

KEYS: dict[str, tuple[Key, ...]] = {
    INPUT: (
        Key("path", PATHS, "The data: a file, a directory of parts, a pattern, or a list of these.", required=True),
        *READING,
        *_GRID,
    ),
    MEASURE: (
        Key("k", SIZES, "Crowd sizes.", [2]),
        Key("levels", FLAG, "Also on six coarser grids, up to 20 km and 8 h.", False),
        Key("min_per_day", NUMBER, "Leave out people with fewer samples a day.", 0),
    ),
    PROTECT: (
        Key("mechanism", TEXT, "How people are protected.", required=True),
        Key("population", TEXT, "Whose identifiers these are, for the ledger.", DEFAULT_POPULATION),
        Key("ledger", PATH, "Ledger of earlier releases, instead of yours."),
        Key("threads", WHOLE, "Threads to use; without it all processors."),
        Key("not_for_release", FLAG, "Stamp the manifest, and leave the ledger alone: for trials.", False),
        Key("seed", WHOLE, "Repeatable; only with not_for_release."),
    ),
    AUDIT: (
        Key("require_k", WHOLE, "Demand this many candidates for every attacker."),
        Key("earlier", PAIRS, "Other releases of the same people, to be intersected.", []),
    ),
    UTILITY: (),
    COMPARE: (Key("mechanism", TEXT, "One to run beside that of [protect].", required=True),),
    OUTPUT: (
        Key("release", PATH, "Directory of the release; must not exist.", required=True),
        Key("secret", PATH, "Directory of what must not be published; without it RELEASE.secret."),
        Key("measured", PATH, "Directory for what [measure] finds (about people: keep it); without it only printed."),
        Key("utility", PATH, "JSON file for what [utility] finds; without it only printed."),
    ),
}
"""Keys of each section. In [protect] and in every [[compare]] the options of the mechanism come on top."""


def parameters_of(mechanism: type[Mechanism]) -> list[str]:
    """Names of a mechanism's own keys in [protect]."""
    return [name for name, _, _ in options_of(mechanism)]


def required_of(mechanism: type[Mechanism]) -> list[tuple[str, str]]:
    """Names of those that have no default, and what is expected of each."""
    return [(name, option.expected) for name, option, default in options_of(mechanism) if default is MISSING]
