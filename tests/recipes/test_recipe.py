"""What may stand in a recipe, and what is said about the rest."""

import json
import re
import stat
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError, ParameterError, ShoalError
from shoal.mechanisms import registry
from shoal.mechanisms.options import options_of
from shoal.recipes import lock
from shoal.recipes.draft import _unset
from shoal.recipes.recipe import parse
from shoal.recipes.sections import KEYS

WHOLE = {
    "input": 'path = "a.csv"',
    "protect": 'mechanism = "glove"\nk = 3',
    "output": 'release = "out"',
}


def recipe(**sections):
    text = "".join(f"[{name}]\n{body}\n" for name, body in (WHOLE | sections).items() if body is not None)
    return parse(text.encode(), Path("/work/here/recipe.toml"))


def test_paths_are_relative_to_the_recipe_and_defaults_are_those_of_the_commands():
    found = recipe(input='path = ["a.csv", "/b/c.csv"]\ncells = "cells.csv"', audit="", measure="")
    assert found.input.paths == (Path("/work/here/a.csv"), Path("/b/c.csv"))
    assert found.input.options.cells == Path("/work/here/cells.csv")
    assert (found.mechanism.k, found.mechanism.publish) == (3, "kmerge")
    assert (found.measure.k, found.audit.require_k, found.utility) == ([2], None, False)
    assert recipe().input.source == Path("/work/here/a.csv")


@pytest.mark.parametrize(
    ("sections", "found", "hint"),
    [
        ({"input": 'pth = "a.csv"'}, "'pth' in [input]", "did you mean 'path'?"),
        ({"input": 'path = "a"\ncolums = {}'}, "'colums' in [input]", "did you mean 'columns'?"),
        ({"protect": 'mechanism = "glov"'}, "a mechanism 'glov' in [protect]", "did you mean 'glove'?"),
        ({"protect": 'mechanism = "glove"\nsupress_share = 0.1'}, "'supress_share' in [protect]", "'suppress_share'"),
        ({"protect": 'mechanism = "uniform"\ncell_m = 100'}, "no minutes in [protect]", "--minutes 60"),
        ({"protect": 'mechanism = "uniform"\ncell_m = 100\nminutes = 5\nk = 2'}, "'k' in [protect]", "known: "),
        ({"protect": "k = 2"}, "no mechanism in [protect]", "add mechanism"),
        ({"protect": 'mechanism = "glove"\nk = "2"'}, 'k = "2" in [protect]', "people"),
        ({"protect": 'mechanism = "glove"\nk = true'}, "k = true in [protect]", "people"),
        ({"protect": 'mechanism = "glove"\nk = 1'}, "k = 1 in [protect]", ""),
        ({"protect": 'mechanism = "glove"\nseed = 1'}, "seed in [protect]", "not_for_release = true"),
        ({"input": "path = 7"}, "path in [input] that is a whole number", "for example path ="),
        ({"input": 'path = "a"\nallow_zero = "yes"'}, "allow_zero in [input] that is text", "true"),
        ({"input": 'path = "a"\nbad_rows = "keep"'}, 'bad_rows = "keep" in [input]', "stop"),
        ({"input": 'path = "a"\ntz = "Mars/Base"'}, "[input]", ""),
        ({"input": 'path = "a"\ngrid_m = 0'}, "grid_m = 0 in [input]", ""),
        ({"input": None}, "no section [input]", "shoal init"),
        ({"output": None}, "no section [output]", "[output]"),
        ({"output": ""}, "no release in [output]", "add release"),
        ({"output": 'release = "a"\nmeasured = "b"'}, "measured in [output] without", "[measure]"),
        ({"compare": "k = 2"}, "compare that is no list of sections", "[[compare]]"),
        ({"[compare]": "k = 2"}, "no mechanism in [compare]", "add mechanism"),
        ({"[compare]": 'mechanism = "uniform"\ncel_m = 2'}, "'cel_m' in [compare]", "did you mean 'cell_m'?"),
        ({"protcet": ""}, "'protcet' in the recipe", "did you mean 'protect'?"),
        ({"utility": "x = 1"}, "'x' in [utility]", "nothing can be set there"),
        ({"audit": "require_k = 1"}, "require_k = 1 in [audit]", ""),
        ({"audit": 'earlier = ["june"]'}, "earlier in [audit] that is a list", "secret"),
    ],
)
def test_what_is_wrong_is_told_in_the_words_of_the_recipe(sections, found, hint):
    with pytest.raises(ParameterError) as error:
        recipe(**sections)
    assert found in error.value.found
    assert hint in error.value.hint
    assert "`" not in f"{error.value}"


@pytest.mark.parametrize("content", [b"\xff\xfe", b"uid,datetime\nsecret-person,1\n", b"x" * 2_000_000, b"PAR1\x00"])
def test_what_is_no_recipe_is_not_quoted(content):
    with pytest.raises(DataError) as error:
        parse(content, Path("recipe.toml"))
    assert "secret-person" not in str(error.value)


def test_a_top_level_key_is_no_section():
    with pytest.raises(ParameterError, match="input that is no section"):
        parse(b"input = 1\n", Path("recipe.toml"))


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text):
    with suppress(ShoalError):
        parse(f"[protect]\n{text}".encode(), Path("recipe.toml"))


def test_keys_of_the_house_do_not_hide_options_of_mechanisms():
    own = {key.name for key in KEYS["protect"]}
    for name in registry.BUILT_IN:
        assert not own & {option for option, _, _ in options_of(registry.find(name))}


# ------------------------------------------------------------------------------------------------------ lock


@pytest.fixture
def on_disk(tmp_path):
    (tmp_path / "a.csv").write_text("one")
    path = tmp_path / "recipe.toml"
    path.write_text("".join(f"[{name}]\n{body}\n" for name, body in WHOLE.items()))
    return parse(path.read_bytes(), path)


def test_a_lock_is_private_and_tells_of_changes(on_disk, tmp_path):
    assert lock.read(on_disk) is None
    before = lock.pin(on_disk)
    path = lock.write(on_disk, before)
    assert path == tmp_path / "recipe.lock.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert lock.read(on_disk) == before
    assert json.loads(path.read_bytes())["resolved"]["input"]["path"] == ["a.csv"]
    assert lock.check(before, lock.pin(on_disk)) == []
    other = before._replace(recipe="0", versions=before.versions | {"numpy": "1.0"})
    assert [re.sub(r"\d.*", "#", words) for words in lock.check(other, before)] == [
        "the recipe changed since the lock was written",
        "other versions than in the lock, groups may differ: numpy #",
    ]
    (tmp_path / "a.csv").write_text("two")
    with pytest.raises(DataError, match="1 file changed"):
        lock.check(before, lock.pin(on_disk))


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 2}', '{"format": 1, "inputs": 3}'])
def test_a_damaged_lock_is_refused(on_disk, content):
    lock.lock_of(on_disk.path).write_text(content)
    with pytest.raises(DataError, match="a lock that cannot be read"):
        lock.read(on_disk)


# ------------------------------------------------------------------------------------------------------ examples


@pytest.mark.parametrize("key", [key for key in KEYS["input"] if key.name != "path"], ids=lambda key: key.name)
def test_what_a_first_recipe_leaves_open_can_be_filled_in_as_it_shows(key):
    shown = _unset(key).removeprefix("# ").partition("  # ")[0]
    told = recipe(input=f'path = "a.csv"\n{shown}')
    assert set(tomllib.loads(shown)) == {key.name}
    assert told.input.paths == (Path("/work/here/a.csv"),)


def test_the_examples_of_columns_name_those_of_the_data_and_those_of_the_cells():
    shown = {key.name: tomllib.loads(f"it = {key.kind.example}")["it"] for key in KEYS["input"] if "col" in key.name}
    calls = {shown["columns"]["uid"]: ["a"], shown["columns"]["datetime"]: ["2020-01-01T00:00Z"], "cell": [1]}
    cells = dict(
        zip((shown["cells_columns"][name] for name in ("cell", "lat", "lng")), ([1], [6.1], [-5.2]), strict=True)
    )
    assert shoal.read(calls, cells=cells, **shown).samples == 1
