"""kte in neighbourhoods: each by itself, under the epochs of everybody; the engine changes nothing."""

import numpy as np
import pytest

import shoal
from elsewhere import Elsewhere
from shoal import synth
from shoal.engines.local import Local
from shoal.mechanisms.base import Run
from shoal.mechanisms.kte import Kte
from shoal.mechanisms.kte.decide import decide, decide_part
from shoal.mechanisms.kte.hiding import epochs_of
from shoal.mechanisms.neighbourhoods import neighbourhoods
from shoal.progress import silent
from shoal.workers import workers

MOST = 50


@pytest.fixture(scope="module")
def city():
    return shoal.read(synth.cdr(160, 1, preset="abidjan", seed=5))


@pytest.mark.parametrize("tau", [60, 1440], ids=["windows", "groups"])
def test_one_after_another_by_hand_is_what_any_engine_gives(city, tau):
    epochs, k = epochs_of(city, tau, tau), 2
    hidden, boxes, leaking, intervals = set(), {}, 0, 0
    with workers(1) as one:
        for part in neighbourhoods(city, MOST):
            own = decide_part(city.select(part), one, silent, epochs=epochs, tau=tau, epsilon=tau, k=k)
            rows = zip(own.hiding.window, own.hiding.hider, own.hiding.hidden, strict=True)
            hidden |= {(int(window), int(part[hider]), int(part[seen])) for window, hider, seen in rows}
            offsets = city.select(part).offsets
            for place, person in enumerate(part.tolist()):
                kept = slice(offsets[place], offsets[place + 1])
                boxes[person] = own.drawing.box[kept][own.drawing.is_box[kept]].tolist()
            leaking, intervals = leaking + own.leaking, intervals + own.intervals
    for engine in (Local(1), Local(2), Elsewhere()):
        found = decide(city, tau, tau, k, "repaired", Run(engine, silent), MOST)
        rows = zip(found.hiding.window, found.hiding.hider, found.hiding.hidden, strict=True)
        assert {tuple(map(int, row)) for row in rows} == hidden
        assert (found.leaking, found.intervals) == (leaking, intervals)
        for person in range(len(city)):
            kept = slice(city.offsets[person], city.offsets[person + 1])
            assert found.drawing.box[kept][found.drawing.is_box[kept]].tolist() == boxes[person]


def test_one_neighbourhood_is_everybody(city):
    whole, part = (Kte(k=3, partition=most).protect(city, seed=1) for most in (None, len(city)))
    assert whole.data.equals(part.data)
    assert whole.secret.suppressed.equals(part.secret.suppressed)
    assert whole.secret.extra["hiding"].equals(part.secret.extra["hiding"])


def test_people_hide_within_their_neighbourhood(city):
    number = np.empty(len(city), np.int64)
    for place, part in enumerate(neighbourhoods(city, MOST)):
        number[part] = place
    assert number.max() >= 3
    hiding = decide(city, 60, 60, 2, "repaired", Run(Local(), silent), MOST).hiding
    assert (number[hiding.hider] == number[hiding.hidden]).all()


def test_the_audit_passes(city, tmp_path):
    Kte(k=2, partition=MOST).protect(city).write(tmp_path / "out", secret=tmp_path / "secret", record=False)
    verdict = shoal.audit(tmp_path / "out", original=city, secret=tmp_path / "secret")
    assert verdict.ok, [check for check in verdict.checks if check.status == "fail"]
