"""The data sheet: what is published, about whom, and how it was made. From public files alone, counts rounded."""

import hashlib
from datetime import datetime
from pathlib import Path
from typing import Any

from shoal.attacks.released import Released
from shoal.contract.files import DATA, MANIFEST, MANIFEST_DIGEST, STAMP
from shoal.contract.kinds import BOXES, POINTS

_TIMES = {BOXES.name: ("t_start", "t_end"), POINTS.name: ("datetime", "datetime")}


def data_sheet(released: Released) -> dict[str, Any]:
    manifest = released.manifest
    return {
        "kind": released.kind.name,
        "unit": _of(manifest, "promise", "unit"),
        "uid_of": released.kind.uid_of,
        "days": _days(released),
        "columns": list(released.rows.columns),
        "counts": dict(_of(manifest, "counts") or {}),
        "mechanism": manifest.get("mechanism"),
        "parameters": dict(_of(manifest, "parameters") or {}),
        "budgets": dict(_of(manifest, "budgets") or {}),
        "not_for_release": bool(manifest.get(STAMP)),
    }


def register_entry(release: Path, released: Released, secret: Path | None) -> dict[str, Any]:
    """What identifies the release in a register: digests, and whether the manifest is the one that was written."""
    digest = hashlib.sha256((release / MANIFEST).read_bytes()).hexdigest()
    kept = None
    if secret is not None and (secret / MANIFEST_DIGEST).is_file():
        kept = (secret / MANIFEST_DIGEST).read_text(encoding="utf-8").split(" ")[0] == digest
    return {
        "manifest_sha256": digest,
        "data_sha256": _of(released.manifest, "sha256", DATA),
        "manifest_is_the_one_written": kept,
        "published": released.manifest.get("date"),
        "shoal": _of(released.manifest, "versions", "shoal"),
        "number": None,
    }


def promise_of(released: Released) -> dict[str, Any]:
    return dict(_of(released.manifest, "promise") or {})


def _days(released: Released) -> list[str] | None:
    """First and last day, as everybody can read them off the rows."""
    names = _TIMES.get(released.kind.name)
    if names is None or not released.rows.height:
        return None
    first, last = released.rows[names[0]].min(), released.rows[names[1]].max()
    assert isinstance(first, datetime)
    assert isinstance(last, datetime)
    return [first.date().isoformat(), last.date().isoformat()]


def _of(manifest: dict[str, Any], *path: str) -> Any:
    value: Any = manifest
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value
