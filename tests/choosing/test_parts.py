"""What compare and choose are made of."""

import numpy as np
import pytest

from shoal import synth
from shoal.choosing.choose import check_attackers
from shoal.choosing.growth import Foretold, foretell
from shoal.choosing.need import parse_need, parse_share
from shoal.choosing.people import Source, drawn
from shoal.choosing.settings import Setting, settings_for, suiting
from shoal.choosing.strength import ATTACKERS, WORDS, holds_against, in_words, strength
from shoal.contract.claims import CellNoise, KAnonymity, Nothing, WindowHiding
from shoal.data import Traces
from shoal.errors import ParameterError
from shoal.measurement.nature import NATURES
from shoal.mechanisms import registry
from shoal.usefulness.within import Need


@pytest.mark.parametrize("text", ["", "500 m", "30 min", "500, 30", "0 m, 5 min", "5 m, 0 h", "a m, b h", "-5 m, 1 h"])
def test_a_need_that_cannot_be_read_is_refused(text):
    with pytest.raises(ParameterError, match="distance and a time"):
        parse_need(text)


def test_needs_and_shares_are_read():
    assert parse_need("0.5 km and 1.5 h") == Need(500, 5400)
    assert parse_need(str(Need(1500, 90))) == Need(1500, 90)
    assert parse_share("--lose", "2.5 %") == 0.025
    for text in ("101%", "-1", "half", "1.5"):
        with pytest.raises(ParameterError):
            parse_share("--for", text)


def test_every_mechanism_declares_what_it_suits_and_what_to_try():
    for name in registry.BUILT_IN:
        mechanism = registry.find(name)
        assert mechanism.suits
        assert set(mechanism.suits) <= set(NATURES)
        for parameters in mechanism.typical:
            made = mechanism(**parameters)
            assert in_words(made.claim)
        assert mechanism.loses is None or hasattr(made, mechanism.loses)
        strengths = [strength(mechanism(**parameters).claim) for parameters in mechanism.typical]
        assert strengths == sorted(strengths), "the strictest first"


def test_each_nature_has_something_to_try():
    for nature in NATURES:
        assert suiting(nature)
        assert len({setting.file for setting in settings_for(nature)}) == len(settings_for(nature))
    with pytest.raises(ParameterError, match="on profiles"):
        settings_for("profiles", ["glove"])
    with pytest.raises(ParameterError, match="did you mean 'glove'"):
        settings_for("calls", ["glov"])
    assert Setting("geoind", {"epsilon": "ln(4)/200"}).options == "--epsilon 'ln(4)/200'"


def test_promises_are_ordered_by_what_an_attacker_may_know():
    assert set(WORDS) >= {claim for claims in ATTACKERS.values() for claim in claims}
    assert strength(WindowHiding(2, 7200, 3600)) < strength(WindowHiding(2, 3600, 3600)) < strength(CellNoise(1.0))
    assert strength(CellNoise(1.0)) < strength(Nothing())
    assert holds_against(KAnonymity(2), tuple(ATTACKERS))
    assert not holds_against(WindowHiding(2, 3600, 3600), ("whole",))
    assert not holds_against(Nothing(), ())
    with pytest.raises(ParameterError, match="did you mean 'whole'"):
        check_attackers(["hole"])


def test_a_straight_line_is_carried_on_without_error():
    odds = {n: 0.1 * n**0.5 for n in (250, 500, 1000, 4000)}
    shares = {n: o / (1 + o) for n, o in odds.items()}
    found = foretell([250, 500, 1000], [shares[n] for n in (250, 500, 1000)], [0.0] * 3, 4000)
    assert found.share == pytest.approx(shares[4000])
    assert found.error == pytest.approx(0, abs=1e-9)
    assert found.people_for(shares[1000], 4000) == pytest.approx(1000)
    assert Foretold(0.2, 0.1, measured=True).people_for(0.5, 100) is None


def test_a_crowd_that_hardly_helps_tells_no_number_of_people():
    hardly = foretell([500, 250, 250, 125, 125], [0.3, 0.3, 0.3004, 0.3, 0.3], [0.0] * 5, 1500)
    assert 0 < hardly.slope < 0.001
    assert hardly.people_for(0.5, 1500) is None
    assert hardly.people_for(0.3, 1500) < 1500
    assert Foretold(0.4, 0.1, measured=False, slope=0.1).people_for(0.5, 1500) == pytest.approx(1500 * 1.5**10)


def test_the_error_grows_with_the_way_beyond_what_was_tried():
    near, far = (foretell([100, 100, 200, 200], [0.2, 0.22, 0.3, 0.27], [0.0] * 4, n) for n in (250, 5000))
    assert 0 < near.error < far.error


def test_what_small_crowds_leave_out_is_no_growth_of_what_is_near():
    """Half of what is kept is near whatever the crowd; small crowds keep little. The product is no straight line."""
    kept = {n: 0.001 * n**1.1 / (1 + 0.001 * n**1.1) for n in (500, 1000, 2000, 8000)}
    found = foretell([500, 1000, 2000], [kept[n] / 2 for n in (500, 1000, 2000)], [1 - kept[n] for n in kept][:3], 8000)
    assert found.share == pytest.approx(kept[8000] / 2)


def test_the_error_tells_what_smaller_crowds_would_have_missed():
    """Growth that slows down: whoever stops at the line is told how wrong it was before."""
    shares = [0.01, 0.04, 0.06]
    found = foretell([500, 1000, 2000], shares, [0.0] * 3, 8000)
    assert found.share - found.error < 0.09 < found.share


def test_people_are_drawn_once_and_whole():
    source = Source(synth.cdr(30, 2, preset="abidjan", seed=1))
    assert source.nature().name in NATURES
    some = drawn(source.people, 10)
    assert some.tolist() == drawn(source.people, 10).tolist()
    people = source.some(Traces, some)
    everybody = source.all(Traces)
    assert len(people) == 10
    lengths = dict(zip(everybody.people.to_pylist(), everybody.lengths.tolist(), strict=True))
    assert [lengths[uid] for uid in people.people.to_pylist()] == people.lengths.tolist()
    assert source.some(Traces, np.arange(30)) is everybody
