"""Kinds: told from columns to the letter."""

import pytest

from shoal.contract.kinds import BOXES, KINDS, POINTS, PROFILES, cell_names, kind_of


def columns(kind, weeks=0):
    fixed = [(column.name, column.type) for column in kind.columns]
    return fixed + [(name, "float64") for name in cell_names(weeks)]


@pytest.mark.parametrize(("kind", "weeks"), [(BOXES, 0), (POINTS, 0), (PROFILES, 1), (PROFILES, 4), (PROFILES, 53)])
def test_a_kind_is_told_from_its_columns(kind, weeks):
    assert kind_of(columns(kind, weeks)) is kind


@pytest.mark.parametrize("kind", [BOXES, POINTS, PROFILES])
@pytest.mark.parametrize(
    "change",
    [
        lambda c: c[1:],
        lambda c: c[:-1],
        lambda c: [*c, ("age", "int32")],
        lambda c: [*c, c[-1]],
        lambda c: [c[1], c[0], *c[2:]],
        lambda c: [(c[0][0], "int32"), *c[1:]],
    ],
)
def test_any_other_column_makes_it_none(kind, change):
    assert kind_of(change(columns(kind, 2 if kind is PROFILES else 0))) is None


def test_profiles_need_a_week():
    assert kind_of(columns(PROFILES, 0)) is None


@pytest.mark.parametrize("kind", KINDS.values())
def test_rows_are_sorted_by_columns_that_there_are_uid_first(kind):
    assert kind.order[0] == "uid"
    assert set(kind.order) <= {column.name for column in kind.columns}
