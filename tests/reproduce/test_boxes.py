"""The ways of publication: what they say about people, and that they are what the mechanism and the commands give."""

import itertools

import numpy as np
import pytest

import shoal
from reproduce import crowd, naive_split
from shoal.mechanisms.glove import Glove
from shoal.reproduce.glove.accuracy import figures_of
from shoal.reproduce.glove.ways import NOTHING, WAYS, Suppression

THRESHOLDS = Suppression(15, 6)
CASES = list(itertools.product(WAYS, (2, 3), (NOTHING, THRESHOLDS)))


def rows(boxes):
    return list(zip(*(column.tolist() for column in boxes), strict=True))


@pytest.mark.parametrize(("way", "k", "suppression"), CASES)
def test_every_sample_lies_in_its_box_or_is_left_out(way, k, suppression):
    people, published = crowd.people(), crowd.groups(k).published(way, suppression)
    kept = published.box_of >= 0
    box = published.box_of[kept]
    for axis, low, span in ((people.t, 0, 1), (people.x, 2, 3), (people.y, 4, 5)):
        start = published.boxes[low][box]
        assert (start <= axis[kept]).all()
        assert (axis[kept] < start + published.boxes[span][box]).all()
    assert kept.all() == (suppression == NOTHING)


@pytest.mark.parametrize(("way", "k", "suppression"), CASES)
def test_only_splitting_makes_samples_up(way, k, suppression):
    people, published = crowd.people(), crowd.groups(k).published(way, suppression)
    inside = {(int(b), int(p)) for b, p in zip(published.box_of, people.owner, strict=True) if b >= 0}
    missing = int(published.copies.sum()) - len(inside)
    figures = figures_of(people, published)
    assert figures["samples_created"] == missing
    assert (missing > 0) == (way == "split")
    assert figures["boxes"] == published.copies.sum()
    assert figures["samples_deleted"] == (published.box_of < 0).sum()


@pytest.mark.parametrize("suppression", [NOTHING, THRESHOLDS])
def test_split_boxes_are_those_of_the_naive_twin(suppression):
    groups = crowd.groups(3)
    paper, split = (groups.published(way, suppression) for way in ("paper", "split"))
    group_of_paper = np.full(paper.copies.size, -1)
    group_of_split = np.full(split.copies.size, -1)
    for publication, group_of in ((paper, group_of_paper), (split, group_of_split)):
        kept = publication.box_of >= 0
        group_of[publication.box_of[kept]] = np.repeat(groups.group_of, groups.traces.lengths)[kept]
    found = rows(split.boxes)
    for group in range(groups.sizes.size):
        expected = naive_split.split(
            [box for box, g in zip(rows(paper.boxes), group_of_paper, strict=True) if g == group]
        )
        # A split box that nobody's sample lies in belongs to no group here: look it up by content.
        assert {box for box, g in zip(found, group_of_split, strict=True) if g == group} <= set(expected)
        assert set(expected) <= set(found)


@pytest.mark.parametrize(("way", "publish"), [("hull", "merge"), ("kmerge", "kmerge")])
@pytest.mark.parametrize("suppression", [NOTHING, THRESHOLDS, Suppression(2, 1)])
def test_figures_are_those_of_the_release_that_shoal_makes(tmp_path, way, publish, suppression):
    people, out = crowd.people(), tmp_path / "r"
    glove = Glove(k=2, publish=publish, suppress_km=suppression.km, suppress_hours=suppression.hours)
    glove.protect(people).write(out, record=False)
    told = shoal.utility(out, original=people, secret=f"{out}.secret").to_dict()
    ours = figures_of(people, crowd.groups(2).published(way, suppression))
    assert told["people_suppressed"] == ours["people_discarded"]
    assert told["samples_deleted_share"] == ours["samples_deleted_share"]
    assert told["samples_created"] == ours["samples_created"] == 0
    for part in ("per_sample", "per_box"):
        for name in ("span_max_m", "span_sum_m", "span_s"):
            assert told[part][name] == pytest.approx(ours[part][name])
    for name in ("position_error_m", "time_error_s"):
        assert told["per_sample"][name] == pytest.approx(ours["errors"][name])


def test_a_share_is_kept_to():
    figures = [
        figures_of(crowd.people(), crowd.groups(2).published("kmerge", Suppression(share=share)))
        for share in (0, 0.05, 0.2)
    ]
    assert [f["samples_deleted_share"] <= s for f, s in zip(figures, (0, 0.05, 0.2), strict=True)] == [True] * 3
    spans = [f["per_sample"]["span_max_m"]["mean"] for f in figures]
    assert spans == sorted(spans, reverse=True)


def test_shares_and_curves_are_those_of_the_samples():
    people, published = crowd.people(), crowd.groups(2).published("paper")
    side = np.maximum(published.boxes.dx, published.boxes.dy)[published.box_of] * 100
    time = published.boxes.dt[published.box_of] * 60
    found = figures_of(people, published, curves=True)["per_sample"]
    assert found["shares"] == {
        "same_place": (side <= 100).mean(),
        "near": (side <= 2000).mean(),
        "soon": (time <= 1800).mean(),
        "later": (time <= 7200).mean(),
    }
    assert (found["curves"]["span_s"][0], found["curves"]["span_s"][-1]) == (time.min(), time.max())


def test_everybody_suppressed():
    published = crowd.groups(2).published("split", Suppression(0.01, 0.01))
    figures = figures_of(crowd.people(), published, curves=True)
    assert figures["samples_deleted_share"] == 1
    assert figures["people_discarded"] == len(crowd.people())
    assert figures["per_box"]["span_s"]["mean"] == 0
