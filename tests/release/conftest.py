"""Small releases to write, and a state directory of their own: no test ever sees the user's ledger."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from shoal.contract.claims import KAnonymity, Nothing
from shoal.data.boxes import Boxes
from shoal.data.grid import Grid
from shoal.data.projection import Projection
from shoal.release import Protected, Release, build_release

DAY_S = 86_400


@pytest.fixture(autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of small files are written here; the processes of test_interruption.py really sync theirs."""
    monkeypatch.setattr(os, "fsync", os.fstat)


def pairs(names: list[str], per_person: int = 3) -> Boxes:
    """People two by two with the same boxes, the last one alone where their number is odd."""
    sequences = (len(names) + 1) // 2
    size = sequences * per_person
    rng = np.random.default_rng(1)
    t = np.tile(np.arange(per_person, dtype=np.int32) * 10 + 28_000_000, sequences)
    x, y = (rng.integers(-50, 50, size).astype(np.int32) for _ in "xy")
    one = np.ones(size, np.int32)
    return Boxes(
        people=pa.array(names, pa.string()),
        sequence_of=(np.arange(len(names)) // 2).astype(np.int32),
        offsets=np.arange(sequences + 1, dtype=np.int64) * per_person,
        t=t,
        dt=one,
        x=x,
        dx=one.copy(),
        y=y,
        dy=one.copy(),
        crs=Projection(6, -5),
        grid=Grid(),
    )


@pytest.fixture
def about() -> dict[str, object]:
    """What has to be told besides the result."""
    return {"mechanism": "some", "parameters": {}, "claim": Nothing(), "span_s": (0, DAY_S)}


MakeRelease = Callable[..., Release]


@pytest.fixture
def make_release() -> MakeRelease:
    def make(
        names: list[str] | int = 20,
        *,
        span_s: tuple[int, int] = (0, DAY_S),
        seed: int | None = None,
        per_person: int = 3,
        withheld: pa.Table | None = None,
        parameters: dict[str, object] | None = None,
        run: dict[str, object] | None = None,
        extra: dict[str, pa.Table] | None = None,
    ) -> Release:
        people = [f"person-{i:06d}" for i in range(names)] if isinstance(names, int) else names
        result = Protected(
            payload=pairs(people, per_person),
            grid=Grid(1000, 3600),
            run=run or {},
            tables=extra or {},
            **({} if withheld is None else {"withheld": withheld}),
        )
        return build_release(
            result,
            mechanism="some",
            parameters=parameters or {"k": 2},
            claim=KAnonymity(2),
            span_s=span_s,
            seed=seed,
        )

    return make


def everything_below(folder: Path) -> dict[str, bytes | None]:
    """All names below a directory, hidden ones too, with the content of files."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.fixture
def listing() -> Callable[[Path], dict[str, bytes | None]]:
    return everything_below
