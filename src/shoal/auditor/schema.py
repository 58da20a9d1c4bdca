"""Columns and keys: those of the contract, and no others."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.opened import columns_of
from shoal.auditor.registry import check
from shoal.auditor.versions import installed, is_possible
from shoal.contract.files import COUNTS, FORMAT_VERSION, GRID_KEYS, MANIFEST, MANIFEST_KEYS, STAMP, VERSIONS_OF, spelled
from shoal.contract.kinds import KINDS
from shoal.contract.parameters import PARAMETERS, at_odds, is_mechanism, is_short_number, odd_base, odd_parameters

_TYPES: dict[str, type] = {
    **dict.fromkeys(("mechanism", "kind", "date"), str),
    **dict.fromkeys(("parameters", "promise", "budgets", "sha256", "versions", "counts"), dict),
    "schema": list,
}
_MAP = ("crs", "grid", "base_grid")
_NEVER = {
    *("seed", "seeds", "rng", "random", "key", "keys", "path", "paths", "file", "files", "dir", "directory", "host"),
    *("user", "username", "secret", "ledger", "person", "out", "output", "original", "input", "engine", "master"),
}
"""Words in the names of parameters that strangers must not know."""
_FIRST_DAY = date(2020, 1, 1)


@check(
    "schema",
    conditions=(
        *("manifest_readable", "canonical", "format_version", "keys_missing", "keys_extra", "types", "stamp"),
        *("mechanism", "parameters_private", "parameters_listed", "parameters_together", "budgets", "date"),
        *("date_after_data", "base_grid"),
        *("counts_keys", "counts_rounded", "counts_rows", "counts_names", "grid_keys", "map_only_for_metres"),
        *("versions_keys", "versions_possible", "data_readable", "columns", "kind_named", "columns_named", "rows"),
    ),
)
def schema(case: Case, hold: Hold) -> Finding:
    """Columns and manifest keys are those of the contract and no others."""
    if hold("manifest_readable", bool(case.manifest), "no readable manifest.json"):
        hold("canonical", _is_canonical(case), "manifest.json is spelled otherwise than it would be written")
        _keys(case.manifest, hold)
        _values(case, hold)
        _parts(case.manifest, hold)
    _columns(case, hold)
    words = "columns and manifest keys are those allowed"
    if case.mechanism not in PARAMETERS:
        # What it means nobody here can say: whatever fits its narrow form is let through.
        words += "; the mechanism is none that is listed, so its name and its parameters are taken as they are"
    return hold.passed(words)


def _keys(manifest: dict[str, Any], hold: Hold) -> None:
    """Compare with the allow-list; unexpected names are counted, not repeated."""
    version = manifest.get("format_version")
    hold(
        "format_version",
        type(version) is int and version == FORMAT_VERSION,
        f"a format other than {FORMAT_VERSION}",
    )
    missing = [name for name in MANIFEST_KEYS if name not in manifest]
    hold("keys_missing", not missing, f"no {', '.join(missing)} in the manifest")
    hold.none("keys_extra", len(manifest.keys() - {*MANIFEST_KEYS, STAMP}), "manifest keys that do not belong there")
    odd = [name for name, kind in _TYPES.items() if name in manifest and not isinstance(manifest[name], kind)]
    hold("types", not odd, f"{', '.join(odd)} in the manifest of the wrong type")
    hold("stamp", manifest.get(STAMP, True) is True, f"a {STAMP} that is not true")
    words = [set(re.split(r"[_-]", name.lower())) for name in _part(manifest, "parameters")]
    never = sum(bool(parts & _NEVER) for parts in words)
    hold.none("parameters_private", never, "parameters in the manifest that strangers must not know")


def _is_canonical(case: Case) -> bool:
    """Byte for byte what is written of these values: doubled keys, blanks and other spellings could carry something."""
    try:
        return (case.path / MANIFEST).read_bytes() == spelled(case.manifest)
    except (OSError, ValueError, RecursionError):
        return False


def _values(case: Case, hold: Hold) -> None:
    """Values are of closed forms: none of them has room for a message."""
    manifest = case.manifest
    name, parameters = manifest.get("mechanism"), _part(manifest, "parameters")
    hold("mechanism", is_mechanism(name), "a mechanism whose name is none")
    known = name if isinstance(name, str) else ""
    odd = odd_parameters(known, parameters)
    hold("parameters_listed", not odd, "; ".join(odd))
    people = case.names.len() if case.opened is not None else 0
    apart = at_odds(parameters, people)
    hold("parameters_together", not apart, f"parameters that do not go together: {', '.join(apart)}")
    base = manifest.get("base_grid")
    fine = not isinstance(base, dict) or not odd_base(base)
    hold("base_grid", fine, "a base_grid to which nothing can have been snapped")
    budgets, wanted = _part(manifest, "budgets"), case.claim.budgets if case.claim else ()
    sound = budgets.keys() == set(wanted) and all(is_short_number(value) for value in budgets.values())
    hold("budgets", sound, "budgets other than those of the claim")
    day = _day(manifest.get("date"))
    if hold("date", day is not None, "a date that is none, or in the future"):
        assert day is not None
        # Somewhere on earth the next day had begun.
        limit = datetime.combine(day + timedelta(2), time(), UTC)
        hold("date_after_data", _last_us(case) < limit.timestamp() * 1e6, "a date before the end of what is published")


def _last_us(case: Case) -> int:
    """The last moment that is published, in microseconds since the epoch; of boxes their start, as they may be wide."""
    return 0 if case.table is None else case.table.facts.last_us


def _day(said: object) -> date | None:
    try:
        day = date.fromisoformat(said) if isinstance(said, str) else None
    except ValueError:
        return None
    if day is None or day.isoformat() != said:
        return None
    # Somewhere on earth it may be tomorrow already.
    return day if _FIRST_DAY <= day <= _today() + timedelta(1) else None


def _today() -> date:
    return datetime.now(UTC).date()


def _parts(manifest: dict[str, Any], hold: Hold) -> None:
    counts, versions = _part(manifest, "counts"), _part(manifest, "versions")
    hold("counts_keys", counts.keys() == set(COUNTS), f"counts other than {', '.join(COUNTS)}")
    hold("counts_rounded", all(_rounded(n) for n in counts.values()), "counts that are not rounded to 10")
    grids = [manifest[name] for name in ("grid", "base_grid") if isinstance(manifest.get(name), dict)]
    hold(
        "grid_keys",
        all(grid.keys() == set(GRID_KEYS) for grid in grids),
        f"grids with other keys than {', '.join(GRID_KEYS)}",
    )
    hold(
        "versions_keys", versions.keys() == set(VERSIONS_OF), f"versions of other things than {', '.join(VERSIONS_OF)}"
    )
    never = [name for name in VERSIONS_OF if name in versions and not is_possible(name, versions[name], _today())]
    known = ", ".join(f"{name} (here {installed(name)})" for name in never)
    words = f"versions that never made a release, or are newer than those here, with which it cannot be judged: {known}"
    hold("versions_possible", not never, words)


def _part(manifest: dict[str, Any], name: str) -> Mapping[str, Any]:
    part = manifest.get(name)
    return part if isinstance(part, dict) else {}


def _to_ten(count: int) -> int:
    return (count + 5) // 10 * 10


def _rounded(count: object) -> bool:
    return isinstance(count, int) and not isinstance(count, bool) and count >= 0 and count % 10 == 0


def _columns(case: Case, hold: Hold) -> None:
    if not hold("data_readable", case.table is not None, "data.parquet cannot be read"):
        return
    assert case.table is not None
    found, kind = columns_of(case.table.schema), case.kind
    hold("columns", kind is not None, _odd_columns(found))
    hold("rows", bool(case.table.rows), "no rows")
    counts = _part(case.manifest, "counts")
    hold("counts_rows", counts.get("rows") == _to_ten(case.table.rows), "a number of rows that is another")
    if case.opened is not None:
        names, people = _to_ten(case.names.len()), counts.get("people_published")
        fits = people == names if case.opened.kind.uid_of == "person" else isinstance(people, int) and people <= names
        hold("counts_names", fits, "a number of people that is not that of the names")
    if not case.manifest:
        return
    named = [{"name": name, "type": type_} for name, type_ in found]
    words = "the manifest tells other columns than data.parquet has"
    hold("columns_named", case.manifest.get("schema") == named, words)
    if kind is not None:
        words = f"data.parquet holds {kind.name}, and the manifest says other"
        hold("kind_named", case.manifest.get("kind") == kind.name, words)
        mapped = [name for name in _MAP if case.manifest.get(name) is not None]
        words = f"{', '.join(mapped)} in the manifest of a release without metres"
        hold("map_only_for_metres", kind.has_map or not mapped, words)


def _odd_columns(found: list[tuple[str, str]]) -> str:
    """Say how columns differ from those of the kind that they are nearest to; names of strangers are not repeated."""
    names = [name for name, _ in found]
    kinds = {kind.name: [(c.name, c.type) for c in kind.columns_for(names)] for kind in KINDS.values()}
    nearest = max(kinds, key=lambda name: len(set(found) & set(kinds[name])))
    missing = [column[0] for column in kinds[nearest] if column not in found]
    extra = sum(column not in kinds[nearest] for column in found)
    wrong = [f"no {', '.join(missing[:3])}{' …' * (len(missing) > 3)} of the right type"] if missing else []
    wrong += [f"{extra} that do not belong there"] if extra else []
    return f"the columns are not those of {nearest}: " + ("; ".join(wrong) or "doubled, or in another order")
