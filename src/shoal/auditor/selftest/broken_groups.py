"""Broken in the groups: too few who look the same, and the attackers who see it."""

from datetime import timedelta

import polars as pl

from shoal.auditor.selftest.broken import FULL, Broken, Demands, boxes, in_group, leave_over, one_member, rows
from shoal.auditor.selftest.broken_books import one_person_twice
from shoal.auditor.selftest.draft import Draft
from shoal.auditor.selftest.sound_boxes import CELL_M
from shoal.contract.kinds import POINTS

_MINUTE = timedelta(minutes=1)
_EVERY = 10**6


def _one_alone(draft: Draft) -> None:
    leave_over(draft, 1)


def _all_alone(draft: Draft) -> None:
    leave_over(draft, _EVERY)


def _one_box_more(draft: Draft) -> None:
    """Publish one more box of one member, later on the same day."""
    later = pl.col("t_start", "t_end") + timedelta(minutes=30)
    last = draft.data.filter(one_member()).sort("t_start")[-1:].with_columns(later)
    draft.data = pl.concat([draft.data, last])


GROUPS = (
    Broken("a leftover group below k", "group_size.at_least_k", _one_alone),
    Broken("two names of one person in a group", "people_per_group.at_least_k", one_person_twice),
)

ATTACKS = (
    Broken("people left alone, known by points", "attack_points.points", _all_alone, demands=FULL),
    Broken("people left alone, known for an hour", "attack_points.window", _all_alone, demands=FULL),
    Broken("one left alone, not attacked by points", "attack_points.everybody", _one_alone),
    Broken("people left alone, known by places", "attack_top_places.top", _all_alone, demands=FULL),
    Broken("people left alone, known by home and work", "attack_top_places.home_work", _all_alone, demands=FULL),
    Broken("people left alone, known from before", "attack_top_places.past_data", _all_alone, demands=FULL),
    Broken("one left alone, not attacked by places", "attack_top_places.everybody", _one_alone),
    Broken(
        "one member's box a cell wider",
        "attack_whole_trace.whole_trace",
        boxes(one_member() & in_group(), x_max=pl.col("x_max") + CELL_M),
    ),
    Broken("people left alone, known by all they did", "attack_whole_trace.linked", _all_alone, demands=FULL),
    Broken(
        "one member's boxes a minute longer",
        "attack_times.times",
        boxes(one_member(), t_end=pl.col("t_end") + _MINUTE),
    ),
    Broken("one member's box too many", "attack_times.counts", _one_box_more),
)

DEMANDS = (
    Broken(
        "an earlier release with other groups",
        "intersection.at_least_k",
        demands=Demands(require_k=2, earlier="regrouped"),
    ),
    Broken(
        "an earlier release without boxes", "intersection.tried", demands=Demands(require_k=2, earlier="other kind")
    ),
    Broken("points to be intersected", "intersection.tried", kind=POINTS, demands=Demands(earlier="same")),
    Broken("groups of k where more is demanded", "require_k.whole_trace", demands=Demands(require_k=3)),
    Broken("candidates of k where more is demanded", "require_k.attacked", demands=Demands(require_k=3)),
    Broken("a demand for k on points", "require_k.tried", kind=POINTS, demands=Demands(require_k=2)),
    Broken("a demand for k on empty values", "require_k.tried", rows(in_group(), lat=pl.lit(None))),
)
