"""A first recipe for data: what was found in them, and where to begin, with the reasons beside it."""

import json
import os
import textwrap
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.contract.kinds import cell_number
from shoal.data import Grid, Profiles, ReadOptions, Traces, read_as
from shoal.data.loading import names_in
from shoal.data.schemas import are_calls
from shoal.measurement.overview import overview
from shoal.mechanisms import registry
from shoal.mechanisms.options import options_of
from shoal.mechanisms.suggest import Suggestion, suggest
from shoal.progress import Progress
from shoal.recipes.keys import Key
from shoal.recipes.sections import INPUT, KEYS
from shoal.recipes.spelling import as_keys

_WIDTH = 100
_CROWDS = (2, 5)


def draft(
    data: Path, out: Path, options: ReadOptions, grid: Grid | None = None, progress: Progress | None = None
) -> str:
    """Look at data and write a recipe for them.

    Parameters
    ----------
    data
        As for ``shoal inspect``.
    out
        Where the recipe will lie: paths in it are relative to that.
    options, grid
        How to read the data.
    progress
        Told how far reading is.
    """
    # As inspect does: a row that breaks a rule is no reason not to begin.
    found, people, suggestion = _look(data, replace(options, bad_rows="drop"), grid or Grid(), progress)
    measure = _measure(suggestion, people)
    folder = Path(os.path.abspath(out)).parent  # noqa: PTH100  # a link's own place counts
    given = {"path": os.path.relpath(data, folder)}
    for key in KEYS[INPUT][1:]:
        value = getattr(grid or Grid(), {"grid_m": "cell_m", "grid_s": "dt_s"}.get(key.name, ""), None)
        value = getattr(options, key.name, value)
        if value != key.default and value not in (None, {}):
            given[key.name] = os.path.relpath(value, folder) if isinstance(value, Path) else value
    stem = out.name.removesuffix(".toml")
    return "\n".join(
        [
            *_comment(f"A recipe for Shoal. Try it with: shoal run {out.name} --dry-run"),
            *_comment(f"Paths are relative to this file. Found: {found}."),
            "",
            "[input]",
            *(f"{name} = {_toml(value)}" for name, value in given.items()),
            *(_unset(key) for key in KEYS[INPUT] if key.name not in given),
            "",
            *measure,
            "[protect]",
            *_comment(f"These look like {suggestion.sort}: {suggestion.why}."),
            f"mechanism = {_toml(suggestion.mechanism)}",
            *_parameters(suggestion),
            '# population = "…"  # whose identifiers these are: name your operator or study, for the ledger',
            "# not_for_release = true  # for trials: stamps the manifest, leaves the ledger alone",
            "",
            "[audit]",
            "# require_k = 2  # demand this many candidates for every attacker, whatever is promised",
            '# earlier = [{ release = "…", secret = "…" }]  # other releases of the same people',
            "",
            "[utility]",
            "",
            "[output]",
            f"release = {_toml(f'{stem}-release')}",
            f"# secret = {_toml(f'{stem}-release.secret')}  # who is who: never publish it",
            *([f"measured = {_toml(f'{stem}-measured')}  # about people: keep it"] if measure else []),
            "",
        ]
    )


def _look(data: Path, options: ReadOptions, grid: Grid, progress: Progress | None) -> tuple[str, int, Suggestion]:
    """Say what is there, in rough numbers; how many people; and where to begin."""
    names = names_in(data, options)
    table = "municipality" in names and any(cell_number(name) is not None for name in names)
    if table or (are_calls(names, options.columns) and _names_municipalities(options) and options.tz):
        profiles = read_as(Profiles, data, None, options, progress)[0]
        people = len(profiles.ids)
        words = f"{_about(people)} people, {_about(len(profiles))} profiles, {profiles.weeks} weeks"
        return words, people, suggest(people=people, gap_minutes=None, per_day=0, profiles=True)
    result = overview(*read_as(Traces, data, grid, options, progress))
    gap, hourly = (result.spreads[name].quantiles[2] for name in ("gap between samples (min)", _HOURLY))
    words = f"{_about(result.people)} people, {_about(result.samples)} samples, {result.first_day} to {result.last_day}"
    words += "".join(f". {as_keys(stopper)}" for stopper in result.stoppers)
    known_gap = gap if gap == gap else None
    return words, result.people, suggest(people=result.people, gap_minutes=known_gap, per_day=24 * hourly)


_HOURLY = "samples per person and hour"


def _names_municipalities(options: ReadOptions) -> bool:
    if options.cells is None:
        return False
    wanted = (options.cells_columns or {}).get("municipality", "municipality")
    return wanted in names_in(options.cells, ReadOptions())


def _measure(suggestion: Suggestion, people: int) -> list[str]:
    """Measuring takes traces; of use where people are to be hidden in crowds, and there are enough of them."""
    crowds = [k for k in _CROWDS if k <= people]
    if registry.find(suggestion.mechanism).takes is not Traces or not crowds:
        return []
    return ["[measure]", f"k = {_toml(crowds)}  # how hard everybody is to hide among so many", ""]


def _parameters(suggestion: Suggestion) -> list[str]:
    lines = []
    for name, option, default in options_of(registry.find(suggestion.mechanism)):
        value = suggestion.parameters.get(name, default)
        # What is off has no value to show: its unit stands for one.
        shown = _toml(value) if value is not None else "…"
        set_here = "" if name in suggestion.parameters else "# "
        lines.append(f"{set_here}{name} = {shown}  # {option.help}")
    return lines


def _unset(key: Key) -> str:
    return f"# {key.name} = {key.kind.example if key.default is None else _toml(key.default)}  # {key.help}"


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)]


def _toml(value: Any) -> str:
    """Spell a value in TOML.

    >>> _toml("a\\"b"), _toml(2), _toml(True), _toml({"uid": "sim card"}), _toml([2, 5])
    ('"a\\\\"b"', '2', 'true', '{ "uid" = "sim card" }', '[2, 5]')
    """
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml(name)} = {_toml(one)}" for name, one in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def _about(number: int) -> str:
    """Two digits are enough to recognize one's data.

    >>> _about(12345), _about(7)
    ('about 12,000', '7')
    """
    return f"about {float(f'{number:.1e}'):,.0f}" if number >= 100 else str(number)
