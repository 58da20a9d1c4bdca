"""What the audit reports about each attacker, on a sound release of groups and on one that protects nobody."""

import json

import numpy as np
import pytest

import shoal
from shoal import synth
from shoal.auditor.selftest.sound_boxes import sound_boxes

LINKING = {"attack_points": "window", "attack_top_places": "past_data", "attack_whole_trace": "linked"}


@pytest.fixture(scope="module")
def grouped(tmp_path_factory):
    written = sound_boxes(groups=30, seed=1).write(tmp_path_factory.mktemp("grouped"))
    return shoal.audit(written.release, original=written.original, secret=written.secret)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Raw cells: everybody as they are, only under other names."""
    folder = tmp_path_factory.mktemp("plain")
    traces = shoal.read(synth.cdr(150, 4, preset="abidjan", seed=3))
    shoal.Uniform(cell_m=100, minutes=1).protect(traces).write(folder / "release", record=False)
    return shoal.audit(folder / "release", original=traces, secret=folder / "release.secret")


@pytest.mark.parametrize(("check", "name"), LINKING.items())
def test_groups_of_two_leave_two_to_everybody(grouped, check, name):
    assert grouped[check].status == "pass"
    figures = grouped[check].figures[name]
    assert figures["fewest_candidates"] == 2
    assert figures["found"]["share"] == 0
    assert figures["success"] <= 0.5
    assert figures["control"] < 0.2
    assert figures["unique"]["trials"] > 0


@pytest.mark.parametrize(("check", "name"), LINKING.items())
def test_cells_as_they_are_give_people_away(plain, check, name):
    figures = plain[check].figures[name]
    assert figures["success"] > 5 * figures["baseline"]
    assert figures["success"] > 3 * figures["control"]
    assert figures["found"]["low"] <= figures["found"]["share"] <= figures["found"]["high"]


def test_times_and_counts(grouped, plain):
    assert grouped["attack_times"].figures["counts"]["fewest_candidates"] >= 2
    counts, times = (plain["attack_times"].figures[name] for name in ("counts", "times"))
    assert 0 < counts["unique"]["share"] <= times["unique"]["share"], "counts say less than times"


def test_an_insider_reads_corners_better_than_by_guessing(grouped):
    figures = grouped["insider"].figures
    assert figures["exact_cell_read"]["share"] > figures["exact_cell_baseline"]
    assert figures["exact_cell_read"]["trials"] == figures["exact_cell_control"]["trials"] > 0


def test_an_intersection_has_a_control(tmp_path):
    written = sound_boxes(seed=4).write(tmp_path)
    verdict = shoal.audit(
        written.release, original=written.original, secret=written.secret, earlier=[(written.release, written.secret)]
    )
    (release,) = verdict["intersection"].figures["releases"]
    assert release["share_alone"] == 0
    assert release["share_alone_control"] > 0.5, "groups drawn anew at random share nobody"


def test_figures_are_numbers_and_words_of_our_own(grouped):
    """Nothing of the data: no text but names of attackers, no number that could be a coordinate in metres."""

    def leaves(value):
        if isinstance(value, dict):
            for part in value.values():
                yield from leaves(part)
        elif isinstance(value, list | tuple):
            for part in value:
                yield from leaves(part)
        else:
            yield value

    for check in (*LINKING, "attack_times", "insider"):
        figures = json.loads(json.dumps(grouped[check].figures))
        for leaf in leaves(figures):
            assert leaf is None or isinstance(leaf, int | float)
            assert leaf is None or np.isfinite(leaf)
