"""A recipe as it was written, every value checked: nothing is read or run before all of it makes sense."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from shoal.data.grid import Grid
from shoal.data.options import ReadOptions
from shoal.errors import DataError, ParameterError
from shoal.files.paths import AnyPath
from shoal.mechanisms import registry
from shoal.mechanisms.base import Mechanism
from shoal.recipes.keys import check_names, take
from shoal.recipes.sections import (
    ALL,
    AUDIT,
    COMPARE,
    INPUT,
    KEYS,
    MEASURE,
    OUTPUT,
    PROTECT,
    READING,
    REQUIRED,
    UTILITY,
    required_of,
)
from shoal.recipes.sections import parameters_of as names_of
from shoal.recipes.spelling import said_of_keys
from shoal.release.ledger_file import DEFAULT_POPULATION

LARGEST_BYTES = 1_000_000
"""A recipe is a page. What is larger is something else, perhaps the data."""

_WHERE = re.compile(r"\(at (line \d+, column \d+|end of document)\)")


class Input(NamedTuple):
    """What is read, and how."""

    paths: tuple[Path, ...]
    options: ReadOptions
    grid: Grid

    @property
    def source(self) -> Any:
        """As readers take it."""
        return self.paths[0] if len(self.paths) == 1 else list(self.paths)


class Measure(NamedTuple):
    """What is measured first."""

    k: list[int]
    levels: bool = False
    min_per_day: float = 0


class Protect(NamedTuple):
    """How a release is made, besides the mechanism."""

    population: str = DEFAULT_POPULATION
    ledger: Path | None = None
    threads: int | None = None
    not_for_release: bool = False
    seed: int | None = None


class Setting(NamedTuple):
    """A mechanism by name, with the parameters that are written down."""

    mechanism: str
    parameters: dict[str, Any]


class Audit(NamedTuple):
    """What is demanded of the release."""

    require_k: int | None
    earlier: list[tuple[Path, Path]]


class Output(NamedTuple):
    """Where everything goes."""

    release: Path
    secret: Path | None = None
    measured: Path | None = None
    utility: Path | None = None


@dataclass(frozen=True)
class Recipe:
    """A recipe, checked; a step whose section is not there is None.

    Attributes
    ----------
    path, content
        The file, and its bytes.
    input, mechanism, protect, output
        What every recipe has.
    measure, audit
        Steps that it may have.
    utility
        Whether to tell what the release is still good for.
    compare
        What ``shoal compare --recipe`` runs: the mechanism of [protect] first.
    """

    path: Path
    content: bytes
    input: Input
    mechanism: Mechanism
    protect: Protect
    output: Output
    measure: Measure | None
    audit: Audit | None
    utility: bool
    compare: tuple[Setting, ...]

    def resolved(self) -> dict[str, Any]:
        """Return all that it says, defaults written out: what the lock keeps."""
        options, grid = self.input.options, self.input.grid
        reading = {key.name: getattr(options, key.name) for key in READING}
        return {
            INPUT: {"path": list(self.input.paths), **reading, "grid_m": grid.cell_m, "grid_s": grid.dt_s},
            MEASURE: self.measure._asdict() if self.measure else None,
            PROTECT: {"mechanism": self.mechanism.name, **self.mechanism.parameters(), **self.protect._asdict()},
            AUDIT: self.audit._asdict() if self.audit else None,
            UTILITY: self.utility,
            OUTPUT: self.output._asdict(),
        }


def load(path: AnyPath) -> Recipe:
    """Read a recipe; paths in it are relative to its file."""
    file = Path(path)
    try:
        with file.open("rb") as opened:
            content = opened.read(LARGEST_BYTES + 1)
    except OSError as error:
        raise DataError(
            f"no recipe that can be opened at '{file.name}'",
            expected="a file such as recipe.toml",
            hint="check the spelling; shoal init writes a first one",
        ) from error
    return parse(content, file)


def parse(content: bytes, path: Path) -> Recipe:
    r"""Make a recipe of the bytes of its file.

    Parameters
    ----------
    content
        TOML.
    path
        Where it lies; paths in it are relative to its directory.

    Examples
    --------
    >>> text = b'[input]\npath = "a.csv"\n[protect]\nmechanism = "glove"\nk = 5\n[output]\nrelease = "out"\n'
    >>> recipe = parse(text, Path("here/recipe.toml"))
    >>> recipe.mechanism.k, recipe.output.release.as_posix(), recipe.audit
    (5, 'here/out', None)
    """
    sections = _sections(content)
    folder = path.parent

    def values(name: str) -> dict[str, Any]:
        return take(sections[name], KEYS[name], f"[{name}]", folder)

    for name in (MEASURE, AUDIT, UTILITY, OUTPUT, INPUT):
        check_names(sections.get(name, ()), [key.name for key in KEYS[name]], f"[{name}]")
    output = Output(**values(OUTPUT))
    _refuse_outputs_of_no_step(output, sections)
    mechanism = _mechanism(sections[PROTECT], PROTECT)
    protect = Protect(**{name: value for name, value in values(PROTECT).items() if name in Protect._fields})
    audit = Audit(**values(AUDIT)) if AUDIT in sections else None
    _refuse_what_would_fail_late(protect, audit)
    return Recipe(
        path=path,
        content=content,
        input=_input(values(INPUT)),
        mechanism=mechanism,
        protect=protect,
        output=output,
        measure=Measure(**values(MEASURE)) if MEASURE in sections else None,
        audit=audit,
        utility=UTILITY in sections,
        compare=_compared(sections),
    )


def _sections(content: bytes) -> dict[str, dict[str, Any]]:
    if len(content) > LARGEST_BYTES:
        raise DataError("a file too large for a recipe", expected="some lines of TOML", hint="is it the data?")
    try:
        found = tomllib.loads(content.decode())
    except UnicodeDecodeError:
        raise DataError("a file that is no text", expected="a recipe in TOML, UTF-8", hint="is it the data?") from None
    except tomllib.TOMLDecodeError as error:
        # Only the place: a file that is no recipe may be the data, and the message can quote it.
        place = _WHERE.search(str(error))
        raise DataError(
            f"no TOML{f' at {place[1]}' if place else ''}",
            expected="lines such as k = 2 below headings such as [protect]",
            hint="text stands in quotes, true and false in small letters",
        ) from None
    check_names(found, ALL, "the recipe")
    for name in (*found, *REQUIRED):
        if name != COMPARE and not isinstance(found.get(name), dict):
            raise ParameterError(
                f"no section [{name}]" if name not in found else f"{name} that is no section",
                expected=f"sections {', '.join(f'[{one}]' for one in REQUIRED)}",
                hint=f"add a line [{name}] and its keys below it; shoal init writes a whole recipe",
            )
    return found


def _input(values: dict[str, Any]) -> Input:
    with said_of_keys("[input]"):
        paths, grid = values.pop("path"), Grid(values.pop("grid_m"), values.pop("grid_s"))
        return Input(tuple(paths), ReadOptions(**values), grid)


def _compared(sections: Mapping[str, Any]) -> tuple[Setting, ...]:
    """Take the mechanism of [protect] and those of every [[compare]], once each."""
    beside = sections.get(COMPARE, [])
    if not isinstance(beside, list) or not all(isinstance(one, dict) for one in beside):
        raise ParameterError(
            f"{COMPARE} that is no list of sections",
            expected=f"a section [[{COMPARE}]] for each mechanism",
            hint=f'a line [[{COMPARE}]], and below it mechanism = "…"',
        )
    found: list[Setting] = []
    for name, section in ((PROTECT, sections[PROTECT]), *((COMPARE, one) for one in beside)):
        mechanism = _mechanism(section, name)
        given = {key: section[key] for key in names_of(type(mechanism)) if key in section}
        if (one := Setting(mechanism.name, given)) not in found:
            found.append(one)
    return tuple(found)


def _mechanism(section: Mapping[str, Any], name: str) -> Mechanism:
    where = f"[{name}]"
    own = [key.name for key in KEYS[name]]
    if "mechanism" not in section:
        # Misspelt, rather: what else may stand there is not known before the mechanism is.
        check_names(get_close_matches("mechanism", section), own, where)
        raise ParameterError(
            f"no mechanism in {where}", expected=f"one of {', '.join(registry.names())}", hint='add mechanism = "…"'
        )
    named = take(section, KEYS[name][:1], where, Path())["mechanism"]
    with said_of_keys(where):
        found = registry.find(named)
    names = [name for name in names_of(found) if name not in own]
    check_names(section, [*own, *names], where)
    for name, expected in required_of(found):
        if name not in section:
            raise ParameterError(
                f"no {name} in {where}", expected=expected, hint=f"the mechanism '{named}' needs it: {found.example}"
            )
    with said_of_keys(where):
        return found(**{name: section[name] for name in names if name in section})


def _refuse_what_would_fail_late(protect: Protect, audit: Audit | None) -> None:
    if protect.seed is not None and not protect.not_for_release:
        raise ParameterError(
            "seed in [protect]",
            expected="randomness that nobody can repeat",
            hint="for tests add not_for_release = true, which stamps the manifest",
        )
    if audit is not None and audit.require_k is not None and audit.require_k < 2:
        raise ParameterError(
            f"require_k = {audit.require_k} in [audit]", expected="a whole number, 2 or more", hint="for example 2"
        )


def _refuse_outputs_of_no_step(output: Output, sections: Mapping[str, Any]) -> None:
    for name, step in (("measured", MEASURE), ("utility", UTILITY)):
        if getattr(output, name) is not None and step not in sections:
            raise ParameterError(
                f"{name} in [output] without a section [{step}]",
                expected="an output of a step that is done",
                hint=f"add a line [{step}], or leave {name} out",
            )
