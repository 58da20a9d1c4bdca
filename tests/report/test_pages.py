"""Pages of censuses and comparisons: what is drawn is what was found."""

import json
from dataclasses import replace

import pytest

import shoal
from shoal.auditor.selftest.sound_cells import sound_cells
from shoal.cli.report import DOCUMENTS
from shoal.contract.files import CENSUS, STAMP
from shoal.contract.page import EDGES, OUTCOMES
from shoal.pages.document import Figure, Text
from shoal.pages.release import Private, _map, release_page
from shoal.report.comparison import comparison_page
from shoal.report.measure import measure_page
from shoal.report.release import private_page, public_page
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


def test_the_verdict_names_the_way_that_hides_best_and_the_one_that_keeps_most():
    rows = [
        row(2, near=0.2) | {"attack_points": "0.5"},
        row(5, near=0.1) | {"attack_points": "0.0", "attack_whole_trace": "0.02"},
        row(9, near=0.05) | {"attack_points": "0.0", "attack_whole_trace": "0.02"},
    ]
    verdict = comparison_page(rows, 100, 50, "500 m, 30 min").verdict
    assert verdict.sentence.startswith("a --k 5 hides best: attackers found 2.0% of the people, 10.0% of the samples")
    assert verdict.more[0].startswith("a --k 2 keeps most: 20.0% of the samples")
    assert "50 of 100 people" in verdict.more[1]
    broken = [*rows, row(99, near=0.9) | {"attack_points": "0.0", "audit_failed": "coverage"}]
    assert comparison_page(broken, 100, 50, "500 m, 30 min").verdict == verdict, "what broke its promise is no choice"
    only = comparison_page(rows[1:2], 100, 50, "500 m, 30 min").verdict
    assert len(only.more) == 1
    bare = comparison_page([row(2) | {"attack_points": ""}], 100, 50, "500 m, 30 min").verdict
    assert "hides best" not in bare.sentence


def note(id_, share):
    figures = {"all": {"share": share, "low": 0.0, "high": 1.0, "trials": 9}}
    return {"id": id_, "status": "note", "reason": f"{id_} found some", "figures": figures}


def test_the_verdict_of_a_release_tells_what_went_beyond_its_promise(census):
    written, _ = census
    found = Results.of(written.release, written.secret)
    checks = [note("attack_ring", 0.1), note("attack_nearest", 0.92), note("cells_alike", 0.99)]
    known = replace(found, audit={"ok": True, "checks": checks})
    private, public = private_page(known).verdict, public_page(known).verdict
    assert private.tone == public.tone == "careful"
    assert any("taking the nearest, was right about 92.0% of the people" in words for words in private.more)
    assert not any("92" in words for words in public.more)
    for verdict in (private, public):
        assert any("2 kinds of attack went beyond" in words for words in verdict.more)
        assert any(words.startswith("Nothing is promised about what a group has in common") for words in verdict.more)
    quiet = replace(found, audit={"ok": True, "checks": [checks[-1]]})
    assert private_page(quiet).verdict.tone == "fine"
    assert not any("strongest attack" in words for words in private_page(quiet).verdict.more)


def test_the_table_of_a_map_begins_with_the_tiles_of_most_people():
    tiles = [[column, 0, 10 * (column + 1), 2] for column in range(40)]
    drawn = _map({"side_m": 1_000, "tiles": tiles}, 0, "boxes")
    people = [int(cells[-1]) for cells in drawn.table.rows]
    assert (people[0], len(people)) == (400, 30)
    assert people == sorted(people, reverse=True)


def test_where_nothing_was_varied_nothing_is_drawn_against_it():
    drawn = figures(comparison_page([row(2)], 100, 100, "500 m, 30 min"))
    assert list(drawn) == ["An attacker who knows some moments of a life."]


def test_a_share_that_is_foretold_is_told_with_its_error():
    unsure = row(2, near=0.307) | {"near_share_error": "0.32", "seconds": "91.43"}
    page = comparison_page([unsure, row(5, near=0.1) | {"attack_points": "0.9"}], 500, 200, "1 km, 60 min")
    assert "30.7% ± 32.0% of the samples" in page.verdict.sentence
    told = [block.words for part in page.sections for block in part.blocks if isinstance(block, Text)]
    assert any("measured on 200 people" in words and "foretold for all 500" in words for words in told)
    table = next(part for part in page.sections if part.name == "table").blocks[0]
    assert "30.7% ± 32.0%" in table.rows[0]
    assert table.rows[0][-1] == "91.4"
    lines = page.sections[-1].blocks[0].lines
    assert lines == ("shoal compare DATA --people 200 --out DIR", 'shoal choose DATA --need "1 km, 60 min"')
    measured = comparison_page([row(2)], 100, 100, "500 m, 30 min")
    assert "±" not in measured.verdict.sentence


@pytest.fixture
def points():
    """What the manifest of a release of points says, and facts of it."""
    claim = {"name": "geo-indistinguishability", "epsilon_per_m": 0.01}
    promise = {"claim": claim, "holds": "h", "attacker": "a", "unit": "one draw of noise (a point)", "not_covered": []}
    counts = {"people_published": 60, "people_suppressed": 10, "rows": 900, "samples_suppressed": 0}
    manifest = {"kind": "points", "mechanism": "geoind", "date": "2024-01-01", "parameters": {}, "sha256": {}}
    people = {"position_error_m": [60, *[0] * len(EDGES["position_error_m"])]}
    facts = {"people_by": people, "map": {"side_m": 1_000, "tiles": [[0, 0, 60, 1]]}, "thirds": {}, "likeness": {}}
    return {**manifest, "promise": promise, "counts": counts}, facts | {"audit": dict.fromkeys(OUTCOMES, ())}


def test_a_page_of_points_tells_nothing_of_boxes_and_of_what_its_figures_are(points):
    page = release_page(*points, 0, Private(hours={"raw": [1 / 24] * 24}))
    said = [block.words for part in page.sections for block in part.blocks if isinstance(block, Text | Figure)]
    assert "What is protected: one draw of noise (a point). Not covered:" in said
    assert not any("box" in words or "samples are left out" in words for words in said)
    assert sum("way that was taken" in words for words in said) == 2, "of people and of tiles"
    assert any("Nothing is published of about 10 people" in words for words in said)


def test_what_was_made_to_try_things_out_still_tells_what_was_found(points):
    manifest, facts = points
    audit = facts["audit"] | {"pass": ["schema"], "note": ["attack_nearest"]}
    plain = release_page(manifest, facts | {"audit": audit}, 0).verdict
    stamped = release_page(manifest | {STAMP: True}, facts | {"audit": audit}, 0).verdict
    assert (stamped.tone, stamped.sentence) == ("bad", "Not for release: made to try things out.")
    assert stamped.more[0] == plain.sentence
    assert any("went beyond what is promised" in words for words in stamped.more)
    assert not any("to decide" in words for words in stamped.more)


def test_the_page_of_a_measure_says_how_to_make_all_of_it_again():
    summary = {"people": 9, "kgap": {"2": [0.1] * 11}, "anatomy": {}}
    binned = {"shares": {"2": [1.0]}, "steps": [0.0], "parts": {"2": [(0.0, 0.0, 9)]}}
    level = {"cell_m": 100, "minutes": 1, "k": 2, "share_anonymous": 0.0, "deciles": [0.1] * 11}
    for more, typed in (({}, "--k 2 --out"), ({"levels": [level]}, "--k 2 --levels --out")):
        page = measure_page(summary | more, binned, ["words"])
        assert typed in page.sections[-1].blocks[0].lines[0]
