"""The page: nothing on it but the manifest's own words and a few numbers, none of which is about few people.

What is not such a number is written again here and compared byte by byte. So a comment, an attribute, a tooltip, a
script or a link that somebody added is seen, whatever it says.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from shoal.attacks.crowd import Crowd
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.opened import Boxes
from shoal.auditor.registry import ORDER, check
from shoal.contract import page as allowed
from shoal.contract.files import PAGE
from shoal.contract.kinds import Kind
from shoal.pages.html import FACTS_START, SCRIPT_END, around
from shoal.pages.release import release_page

Facts = dict[str, Any]


@check("page", conditions=("readable", "facts", "people", "rounded", "totals", "recounted", "script", "written"))
def page(case: Case, hold: Hold) -> Finding:
    """The page is a function of the manifest and of counts of many people."""
    path = case.path / PAGE
    if not (path.exists() or path.is_symlink()):
        return hold.not_run("the release has no page")
    content = path.read_bytes() if path.is_file() and path.stat().st_size <= allowed.LARGEST else b""
    facts = _facts(content)
    if not hold("readable", facts is not None, f"a {PAGE} whose numbers cannot be read"):
        return hold.stopped()
    assert facts is not None
    if not hold(
        "facts", case.kind is not None and _is_closed(facts, case.kind), "a page that tells other things than it may"
    ):
        return hold.stopped()
    floor = allowed.floor_of(case.claim.to_dict() if case.claim else None)
    counts = [count for count in _counts(facts) if count is not None]
    hold.none("people", sum(count < floor for count in counts), f"counts on the page of fewer than {floor} people")
    hold.none(
        "rounded", sum(count % allowed.TENS != 0 for count in counts), "counts on the page that are not rounded to 10"
    )
    hold("totals", _adds_up(case, facts, floor), "a page that tells of more people than there are, or shares of few")
    hold("recounted", _recounted(case, facts, floor), "a page whose boxes and tiles are not those of the data")
    _bytes(case, hold, content, facts, floor)
    return hold.passed("the page tells the manifest's words and counts of many people", counts=len(counts))


def _facts(content: bytes) -> Facts | None:
    """The one block of numbers that a page has, as far as it is an object."""
    try:
        text = content.decode()
        _, block = text.split(FACTS_START)
        found = json.loads(block.split(SCRIPT_END)[0])
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _is_closed(facts: Facts, kind: Kind) -> bool:
    """Exact keys, whole numbers within their limits, ids of checks: no room for anything else."""
    try:
        return set(facts) == set(allowed.FACTS) and all(_PARTS[name](facts[name], kind) for name in allowed.FACTS)
    except (TypeError, ValueError, KeyError, AttributeError):
        return False


def _people_by(part: Any, kind: Kind) -> bool:
    wanted = allowed.PEOPLE_BY[kind.name]
    return set(part) in (set(wanted), set()) and all(
        type(counts) is list and len(counts) == len(allowed.EDGES[name]) + 1 and all(map(_is_count, counts))
        for name, counts in part.items()
    )


def _map(part: Any, kind: Kind) -> bool:
    if part is None:
        return True
    tiles = part["tiles"]
    fine = set(part) == {"side_m", "tiles"} and part["side_m"] in allowed.TILES_M and type(part["side_m"]) is int
    fine &= (
        "lat" in {column.name for column in kind.columns} and type(tiles) is list and len(tiles) <= allowed.MOST_TILES
    )
    return fine and all(_is_tile(tile, part["side_m"]) for tile in tiles) and tiles == sorted(tiles)


_HALF_EARTH_M = 20_100_000


def _is_tile(tile: Any, side: int) -> bool:
    column, row, people, width = tile
    whole = type(tile) is list and all(type(value) is int for value in tile)
    return (
        whole
        and max(abs(column), abs(row)) * side <= _HALF_EARTH_M
        and people > 0
        and 0 <= width <= len(allowed.SPACE_M)
    )


def _thirds(part: Any, _kind: Kind) -> bool:
    return set(part) <= set(allowed.THIRDS) and all(
        set(third) == set(allowed.OF_A_THIRD) and all(map(_is_percent, third.values())) for third in part.values()
    )


def _likeness(part: Any, _kind: Kind) -> bool:
    return set(part) <= set(allowed.LIKENESS) and all(map(_is_percent, part.values()))


def _audit(part: Any, _kind: Kind) -> bool:
    if part is None:
        return True
    ids = [name for outcome in allowed.OUTCOMES for name in part[outcome]]
    in_order = all(part[outcome] == [name for name in ORDER if name in part[outcome]] for outcome in allowed.OUTCOMES)
    return set(part) == set(allowed.OUTCOMES) and in_order and len(set(ids)) == len(ids)


_PARTS = {"people_by": _people_by, "map": _map, "thirds": _thirds, "likeness": _likeness, "audit": _audit}


def _is_count(value: Any) -> bool:
    return value is None or (type(value) is int and value >= 0)


def _is_percent(value: Any) -> bool:
    return type(value) is int and 0 <= value <= 100


def _counts(facts: Facts) -> Iterator[int | None]:
    """All counts of people."""
    for counts in facts["people_by"].values():
        yield from counts
    if facts["map"]:
        yield from (tile[2] for tile in facts["map"]["tiles"])


def _adds_up(case: Case, facts: Facts, floor: int) -> bool:
    """Nobody is in two bins, no tile has more people than there are, and shares are of many: as rounded counts tell."""
    counts = case.manifest.get("counts")
    people = counts.get("people_published") if isinstance(counts, dict) else None
    if not isinstance(people, int):
        return False
    sums = [sum(filter(None, bins)) for bins in facts["people_by"].values()]
    sums += [tile[2] for tile in facts["map"]["tiles"]] if facts["map"] else []
    least = len(allowed.THIRDS) * floor if facts["thirds"] else floor if facts["likeness"] else 0
    return max(sums, default=0) <= people + allowed.TENS // 2 and people >= least


def _recounted(case: Case, facts: Facts, floor: int) -> bool:
    """What can be counted in the published boxes is what the page says."""
    if not isinstance(case.opened, Boxes):
        return True
    rows = pl.concat([_shapes(low, part) for low, part in case.boxes.crowd.parts()])
    own = [name for name in ("width_m", "duration_s") if name in facts["people_by"]]
    same = all(facts["people_by"][name] == _in_bins(rows, name, floor) for name in own)
    return same and (facts["map"] is None or facts["map"]["tiles"] == _tiles(rows, facts["map"]["side_m"], floor))


def _shapes(low: int, crowd: Crowd) -> pl.DataFrame:
    """What is counted of the boxes of individuals from ``low`` on."""
    return pl.DataFrame(
        {
            "owner": (crowd.owner + low).astype(np.int32),
            "width_m": (crowd.x1 - crowd.x0).clip(crowd.y1 - crowd.y0),
            "duration_s": crowd.t1 - crowd.t0,
            "x": (crowd.x0 + crowd.x1) / 2,
            "y": (crowd.y0 + crowd.y1) / 2,
        }
    )


def _bin_of(name: str, value: pl.Expr) -> pl.Expr:
    """The number of the bin: how many edges lie below."""
    return pl.sum_horizontal([(value > edge).cast(pl.Int64) for edge in allowed.EDGES[name]])


def _in_bins(rows: pl.DataFrame, name: str, floor: int) -> list[int | None]:
    medians = rows.group_by("owner").agg(pl.col(name).median()).select(_bin_of(name, pl.col(name)).alias("bin"))
    found = dict(medians.group_by("bin").len().iter_rows())
    return [allowed.told(found.get(number, 0), floor) for number in range(len(allowed.EDGES[name]) + 1)]


def _tiles(rows: pl.DataFrame, side: int, floor: int) -> list[list[int]]:
    tiles = (
        rows.group_by((pl.col("x") / side).floor().cast(pl.Int64), (pl.col("y") / side).floor().cast(pl.Int64))
        .agg(people=pl.col("owner").n_unique(), width=pl.col("width_m").median())
        .select("x", "y", "people", _bin_of("width_m", pl.col("width")).alias("bin"))
    )
    found = ([x, y, allowed.told(n, floor), width] for x, y, n, width in tiles.iter_rows())
    return sorted(tile for tile in found if tile[2] is not None)


def _bytes(case: Case, hold: Hold, content: bytes, facts: Facts, floor: int) -> None:
    """The script is the known one, and all the rest is what these numbers make."""
    digest, script = _script_of(content)
    hold("script", digest in allowed.SCRIPTS, "a page with a script that is not known here")
    document = release_page(case.manifest, facts, floor)
    before, after = around(document, digest)
    hold("written", content == before + script + after, "a page that holds something beside what these numbers make")


def without_known_script(content: bytes) -> bytes:
    """Take the script that draws out of a page, if it is the known one: nobody's identifier is in it but by chance."""
    digest, script = _script_of(content)
    return content.replace(script, b"", 1) if digest in allowed.SCRIPTS else content


_OPEN = b"<script>"


def _script_of(content: bytes) -> tuple[str, bytes]:
    """What stands in the first script that runs."""
    _, _, rest = content.partition(_OPEN)
    script, _, _ = rest.partition(SCRIPT_END.encode())
    return hashlib.sha256(script).hexdigest(), script
