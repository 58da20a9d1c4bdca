"""The dossier: what it says of a release, what it leaves to people, and that it names what is missing."""

import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import polars as pl
import pytest
from typer.testing import CliRunner

import shoal
from shoal import synth
from shoal.cli.app import app
from shoal.errors import DataError, ParameterError
from shoal.pages.risks import rows_of
from shoal.pages.words import knowing

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "reference" / "dossier.schema.json").read_text(encoding="utf-8")
)
run = CliRunner().invoke


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Audited releases of three kinds, and the data of each."""
    folder = tmp_path_factory.mktemp("releases")
    events = pl.DataFrame(synth.cdr(40, 2, preset="abidjan", seed=3))
    events.write_parquet(folder / "events.parquet")
    cells = {f"w1_{day}_{slot}": [0.5, 0.25] for day in ("weekday", "weekend") for slot in ("night", "day", "evening")}
    profiles = pl.DataFrame({"uid": ["a-person", "b-person"], "municipality": ["x", "x"], **cells})
    profiles.write_parquet(folder / "profiles.parquet")
    for name, mechanism, data in (
        ("boxes", shoal.Uniform(cell_m=2000, minutes=120), events),
        ("points", shoal.GeoInd(epsilon=0.01), events),
        ("profiles", shoal.LaplaceProfiles(epsilon=1.0), profiles),
    ):
        shoal.protect(data, mechanism, folder / name, not_for_release=True)
    shoal.audit(folder / "boxes", original=events, secret=folder / "boxes.secret")
    return folder


@pytest.fixture(scope="module")
def made(place):
    """A dossier of each kind, with everything measured."""
    data = {"boxes": "events", "points": "events", "profiles": "profiles"}
    return {
        kind: shoal.dossier(place / kind, recipient=recipient, original=place / f"{name}.parquet")
        for (kind, name), recipient in zip(data.items(), ("public", "partner", "enclave"), strict=True)
    }


@pytest.mark.parametrize("kind", ["boxes", "points", "profiles"])
def test_every_kind_fits_the_published_schema(made, kind):
    content = json.loads(json.dumps(made[kind].to_dict(), allow_nan=False))
    jsonschema.validate(content, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert content["data_sheet"]["kind"] == kind
    assert content["audit"]["done"]
    assert content["audit"]["with_original"]
    assert content["utility"]


def test_the_schema_refuses_what_is_not_a_dossier(made):
    good = made["boxes"].to_dict()
    for bad in (good | {"verdict": "fine"}, {k: v for k, v in good.items() if k != "missing"}, good | {"risks": [{}]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, SCHEMA, cls=jsonschema.Draft202012Validator)


def test_risks_are_those_of_the_audit(made, place):
    verdict = json.loads((place / "boxes.secret" / "audit.json").read_text())
    attack = next(check for check in verdict["checks"] if check["id"] == "attack_points")["figures"]["points_1"]
    rows = made["boxes"].content["risks"]
    row = next(row for row in rows if row["attacker"] == "points 1")
    assert row["maximum"] == round(1 / attack["fewest_candidates"], 3)
    assert (row["mean"], row["control"]) == (round(attack["expected_success"], 3), round(attack["baseline"], 3))
    assert (row["share"], row["high"]) == (round(attack["unique"]["share"], 3), round(attack["unique"]["high"], 3))
    assert {row["risk"] for row in rows} == {"singling out", "linkability", "inference"}
    tried = {one["check"] for one in made["boxes"].content["intruder"]}
    assert {"attack_points", "attack_whole_trace", "attack_times", "intersection"} <= tried


def test_points_tell_how_near_a_guess_comes_to_a_place(made):
    rows = [row for row in made["points"].content["risks"] if row["check"] == "attack_averaging"]
    assert {row["measure"] for row in rows} <= {"place within 100 m"}
    assert all(row["control"] is not None for row in rows)


@pytest.mark.parametrize("kind", ["boxes", "points", "profiles"])
def test_it_gives_no_verdict_and_no_exact_count(made, kind, place):
    content = made[kind].content
    said = json.dumps({name: part for name, part in content.items() if name != "promise"}, ensure_ascii=False)
    assert not re.search(r"\banonym", said)
    page = made[kind].to_html() + made[kind].to_markdown()
    assert not re.search(r"\banonymous\b", page.replace("k-anonymous-cells", ""))
    for uid in pl.read_parquet(place / f"{kind}.secret" / "mapping.parquet")["original_uid"].unique():
        assert uid not in page or len(uid) < 6
    assert all(count % 10 == 0 for name, count in content["utility"]["figures"].items() if name.startswith("people"))


def test_whoever_signs_reads_words_and_units(made):
    page = made["boxes"].to_markdown()
    assert "for the recipient “public”. Its promise, in short:" in page.partition("## Recipient")[0]
    assert "| 5 moments | identified |" in page
    assert "the place of most nights in the release holds the home" in page
    assert "| larger side of the box, median per raw sample | 2 km |" in page
    assert "| duration of the box, median per raw sample | 120 min |" in page
    assert "| a uid stands for | a person |" in page
    assert "| a uid stands for | a person in a municipality |" in made["profiles"].to_markdown()
    assert "| made on |" in page, "whether it is published is not decided"
    assert "published on" not in page
    rows = [row for dossier in made.values() for row in dossier.content["risks"]]
    assert rows
    unnamed = {row["attacker"] for row in rows if knowing(row["check"], row["attacker"]) == row["attacker"]}
    assert not unnamed, "an attacker that has no words yet"


def test_lines_to_fill_in_are_empty(made):
    content = made["boxes"].content
    assert all(line[name] is None for line in content["residual_risks"] for name in ("owner", "until", "decision"))
    assert all(line["signature"] is None for line in content["sign_off"])
    assert content["review"]["date"] is None
    not_covered = content["promise"]["not_covered"]
    assert [line["risk"] for line in content["residual_risks"]][: len(not_covered)] == not_covered


def test_the_register_has_the_digest_and_notices_a_change(place, tmp_path):
    entry = shoal.dossier(place / "boxes", recipient="public").content["register"]
    assert entry["manifest_sha256"] == hashlib.sha256((place / "boxes" / "manifest.json").read_bytes()).hexdigest()
    assert entry["manifest_is_the_one_written"] is True
    changed = tmp_path / "boxes"
    changed.mkdir()
    (changed / "data.parquet").write_bytes((place / "boxes" / "data.parquet").read_bytes())
    manifest = json.loads((place / "boxes" / "manifest.json").read_text())
    (changed / "manifest.json").write_text(json.dumps(manifest | {"date": "2000-01-01"}))
    made = shoal.dossier(changed, recipient="public", secret=place / "boxes.secret")
    assert made.content["register"]["manifest_is_the_one_written"] is False
    assert "was changed" in made.to_markdown()
    assert shoal.dossier(changed, recipient="public").content["register"]["manifest_is_the_one_written"] is None


def test_what_was_not_measured_is_named(place, tmp_path):
    bare = shoal.Uniform(cell_m=2000, minutes=120).protect(place / "events.parquet")
    path = bare.write(tmp_path / "bare", record=False)
    content = shoal.dossier(path, recipient="partner").content
    jsonschema.validate(content, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert content["missing"] == ["the release was not audited", "what the release is still good for was not measured"]
    assert (content["risks"], content["audit"]["promise_found_broken"], content["utility"]) == ([], None, None)

    shoal.audit(path, secret=tmp_path / "bare.secret")
    content = shoal.dossier(path, recipient="partner").content
    assert any("not audited with the original" in line for line in content["missing"])
    assert any(line["source"] == "not examined" for line in content["residual_risks"])


def test_a_broken_promise_is_the_first_thing_said(place):
    verdict = json.loads((place / "boxes.secret" / "audit.json").read_text())
    verdict["ok"] = False
    verdict["checks"][0] |= {"status": "fail"}
    from shoal.dossiers.audited import audited
    from shoal.dossiers.sections import sections

    found = audited(verdict)
    content = shoal.dossier(place / "boxes", recipient="public").content | {"audit": found.summary}
    assert "found broken" in sections(content)[0].parts[1]
    assert "do not publish" in sections(content)[0].parts[1]
    assert found.summary["failed"] == [verdict["checks"][0]["id"]]


def test_nothing_tried_is_no_row():
    nothing = {"share": 0.0, "low": 0.0, "high": 1.0, "trials": 0}
    tried = {"unique": nothing, "expected_success": None, "fewest_candidates": None, "baseline": None}
    guess = {"guess": {"within_100_m": nothing}, "control_other_place": {"within_100_m": nothing}}
    figures = {"people": 3, "points_1": tried, "traces_5": guess, "home_shown": nothing, "none": nothing}
    assert not list(rows_of({"id": "attack_points", "status": "note", "figures": figures}))


class Page(HTMLParser):
    """Tags that are open, and what is loaded from elsewhere."""

    def __init__(self):
        super().__init__()
        self.open, self.loads, self.headings = [], [], 0

    def handle_starttag(self, tag, attrs):
        self.headings += tag == "h2"
        if tag not in ("meta", "wbr"):
            self.open.append(tag)
        self.loads += [value for name, value in attrs if name in ("src", "href", "srcset", "action", "data")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_and_asks_nobody_for_anything(made):
    for dossier in made.values():
        page = Page()
        text = dossier.to_html()
        page.feed(text)
        assert page.open == page.loads == []
        assert page.headings == 13
        assert "<script" not in text
        assert "url(" not in text
        assert dossier.to_markdown().count("\n## ") == 13


def test_words_of_a_stranger_are_escaped(made):
    from shoal.dossiers.pages import html, markdown

    content = made["boxes"].content | {"missing": ["<script>x</script> [a](http://b) | c"]}
    assert "<script>" not in html(content)
    assert "<script>" not in markdown(content)
    assert "[a](" not in markdown(content).replace("\\[", "")


# ------------------------------------------------------------------------------------------------- command line


@pytest.mark.parametrize("ending", ["html", "md", "json"])
def test_the_command_writes_what_the_ending_says(place, tmp_path, ending):
    out = tmp_path / f"dossier.{ending}"
    done = run(app, ["report", str(place / "boxes"), "--dossier", "--recipient", "partner", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert out.stat().st_mode & 0o777 == 0o600
    start = {"html": "<!DOCTYPE html>", "md": "# Release dossier", "json": "{"}[ending]
    assert out.read_text().startswith(start)
    assert isinstance(
        run(app, ["report", str(place / "boxes"), "--dossier", "--recipient", "public", "--out", str(out)]).exception,
        Exception,
    )


def test_what_was_measured_before_is_taken_over(place, tmp_path, made):
    figures = shoal.utility(place / "boxes", original=place / "events.parquet")
    kept = figures.keep(place / "boxes.secret")
    arguments = ["report", str(place / "boxes"), "--dossier", "--recipient", "public"]
    done = run(app, [*arguments, "--out", str(tmp_path / "d.json"), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["utility"] == made["boxes"].content["utility"]
    kept.write_text("[]")
    with pytest.raises(DataError, match=r"no readable utility\.json"):
        shoal.dossier(place / "boxes", recipient="public")
    kept.unlink()


@pytest.mark.parametrize("options", [["--dossier"], ["--recipient", "public"], ["--publishable", "--dossier"]])
def test_a_dossier_needs_a_recipient_and_is_never_published(place, options):
    done = run(app, ["report", str(place / "boxes"), *options])
    assert done.exit_code == 2
    assert sorted(path.name for path in (place / "boxes").iterdir()) == ["data.parquet", "manifest.json"]


def test_what_cannot_be_meant_is_refused(place, tmp_path):
    with pytest.raises(ParameterError, match="did you mean 'public'"):
        shoal.dossier(place / "boxes", recipient="publik")
    with pytest.raises(DataError, match="no secret directory"):
        shoal.dossier(place / "boxes", recipient="public", secret=tmp_path / "none")
    refused = run(
        app, ["report", str(place / "boxes"), "--dossier", "--recipient", "public", "--out", str(tmp_path / "d.pdf")]
    )
    assert isinstance(refused.exception, ParameterError)
