"""Pages of censuses and comparisons: what is drawn is what was found."""

import json

import pytest

import shoal
from shoal.auditor.selftest.sound_cells import sound_cells
from shoal.cli.report import DOCUMENTS
from shoal.contract.files import CENSUS
from shoal.pages.document import Figure, Text
from shoal.report.comparison import comparison_page
from shoal.report.release import private_page
from shoal.report.results import Results, what_lies_in


def figures(document):
    return {block.title: block for part in document.sections for block in part.blocks if isinstance(block, Figure)}


def rows_of(figure):
    return figure.spec["data"]["values"]


@pytest.fixture(scope="module")
def census(tmp_path_factory):
    """A census of a release beside its original, and where both lie."""
    written = sound_cells(seed=1).write(tmp_path_factory.mktemp("census"))
    found = shoal.sociometer(written.release, original=written.original, secret=written.secret)
    return written, found


def test_the_page_of_a_census_has_every_class_and_every_town(census, tmp_path):
    _, found = census
    folder = found.write(tmp_path / "census")
    assert what_lies_in(folder) == "census"
    drawn = figures(DOCUMENTS["census"](folder))
    bars = rows_of(drawn["How many there are of each class."])
    assert sum(row["profiles"] for row in bars) == found.summary["profiles"]
    assert all(row["least"] <= row["profiles"] <= row["most"] for row in bars)
    shares = rows_of(drawn["Who is where."])
    towns = {row["municipality"] for row in shares}
    assert len(towns) == found.summary["municipalities"]
    for town in towns:
        assert sum(row["% of profiles"] for row in shares if row["municipality"] == town) == pytest.approx(100, abs=0.3)


def test_the_publishers_page_of_profiles_draws_who_is_taken_for_what(census):
    written, found = census
    shoal.utility(written.release, original=written.original, secret=written.secret).keep(written.secret)
    before = private_page(Results.of(written.release, written.secret))
    told = [block.words for part in before.sections for block in part.blocks if isinstance(block, Text)]
    assert any("No census" in words for words in told)

    found.keep(written.secret)
    drawn = figures(private_page(Results.of(written.release, written.secret)))
    matrix = found.summary["against_original"]["matrix"]
    cells = rows_of(drawn["Classes of the release beside those of the original."])
    assert sorted(cell["profiles"] for cell in cells) == sorted(n for row in matrix.values() for n in row.values())
    counts = rows_of(drawn["Counts of each class: original and release."])
    for side in ("original", "release"):
        assert sum(row["profiles"] for row in counts if row["counted in"] == side) == found.summary["profiles"]
    assert json.loads((written.secret / CENSUS).read_bytes())["summary"] == found.summary


def row(k, share="", near=0.2, left_out=0.0):
    typed = f"--k {k}" + (f" --suppress-share {share}" if share else "")
    return {
        "mechanism": "a",
        "parameters": typed,
        "claim": "c",
        "near_share": str(near),
        "samples_deleted_share": str(left_out),
        "per_sample.span_max_m.mean": "2500",
        "attack_points": "0.1",
    }


def test_accuracy_is_drawn_against_what_alone_was_varied():
    rows = [row(2), row(5, near=0.1), row(2, "0.05", 0.3, 0.049), row(5, "0.05", 0.2, 0.05), row(9, "0.1")]
    drawn = figures(comparison_page(rows, 100, 100, "500 m, 30 min"))
    by_k = {(p["with"], p["k: people who look alike"]) for p in rows_of(drawn["Accuracy against k."])}
    assert by_k == {("a", 2), ("a", 5), ("a --suppress-share 0.05", 2), ("a --suppress-share 0.05", 5)}
    left_out = rows_of(drawn["Accuracy against the share left out."])
    assert [(p["with"], p["samples left out, %"]) for p in left_out] == [
        *(("a --k 2", 0), ("a --k 2", 4.9), ("a --k 5", 0), ("a --k 5", 5))
    ]
    assert {p["mean box of a sample, km"] for p in left_out} == {2.5}


def test_where_nothing_was_varied_nothing_is_drawn_against_it():
    drawn = figures(comparison_page([row(2)], 100, 100, "500 m, 30 min"))
    assert list(drawn) == ["An attacker who knows some moments of a life."]
