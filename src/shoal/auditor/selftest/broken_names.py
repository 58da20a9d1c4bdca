"""Broken by raw identifiers: plain, hashed or short, in every part of a release where bytes can lie."""

import polars as pl

from shoal.auditor.selftest.broken import Broken, Change, Tamper, call_first_person, digest, first_person, renamed
from shoal.auditor.selftest.draft import Draft, Written
from shoal.contract.files import MAPPING
from shoal.contract.kinds import POINTS, PROFILES

_SHORT, _WORD = "bo7", "wanderer"


def _hashed(algorithm: str) -> Change:
    """Name parts and people by digests of their identifiers."""
    return renamed(lambda d: pl.Series([digest(name, algorithm) for name in d.mapping["original_uid"]]))


def _unpacked(change: Change) -> Change:
    def both(draft: Draft) -> None:
        draft.options = {"compression": "none", "use_dictionary": False}
        change(draft)

    return both


def _noted(name: str) -> Change:
    """Call the first person so, and note it among the parameters."""

    def change(draft: Draft) -> None:
        call_first_person(draft, name)
        draft.manifest["parameters"]["note"] = name

    return change


def _short_name(draft: Draft) -> None:
    call_first_person(draft, _SHORT)
    renamed(lambda d: pl.Series([_SHORT, *d.mapping["uid"][1:]]))(draft)


def _note(draft: Draft, text: str) -> None:
    draft.manifest["parameters"]["note"] = text


def _on_page(draft: Draft, text: str) -> None:
    draft.page = f"<p>{text}</p>".encode()


def _left_behind(*, hashed: bool) -> Tamper:
    def tamper(written: Written) -> None:
        name = str(pl.read_parquet(written.secret / f"{MAPPING}.parquet")["original_uid"][0])
        (written.release / "notes.txt").write_text(digest(name).upper() if hashed else name)

    return tamper


def _one_hashed(draft: Draft) -> None:
    name = digest(first_person(draft))
    renamed(lambda d: pl.Series([name, *d.mapping["uid"][1:]]))(draft)


_plain_names = renamed(lambda d: d.mapping["original_uid"])

_LIKE_A_TOKEN = "63a276a08dcfe844"


def _glued_to_the_mechanism(draft: Draft) -> None:
    call_first_person(draft, _LIKE_A_TOKEN)
    draft.manifest["mechanism"] = f"m{_LIKE_A_TOKEN}"


def _glued_to_a_parameter(draft: Draft) -> None:
    call_first_person(draft, _LIKE_A_TOKEN)
    draft.manifest["parameters"][f"x_{_LIKE_A_TOKEN}"] = 1


RAW_IDS = (
    Broken(
        "an identifier in the footer", "raw_ids.footer_plain", lambda d: setattr(d, "kv", {"note": first_person(d)})
    ),
    Broken(
        "a hashed identifier in the footer",
        "raw_ids.footer_hashed",
        lambda d: setattr(d, "kv", {"note": digest(first_person(d)).upper()}),
    ),
    Broken("identifiers in unpacked pages", "raw_ids.pages_plain", _unpacked(_plain_names)),
    Broken("hashed identifiers in unpacked pages", "raw_ids.pages_hashed", _unpacked(_hashed("sha1"))),
    Broken("names that are identifiers", "raw_ids.values_plain", _plain_names),
    Broken(
        "municipalities that are identifiers",
        "raw_ids.values_plain",
        lambda d: setattr(d, "data", d.data.with_columns(municipality=pl.lit(first_person(d)))),
        kind=PROFILES,
    ),
    *(
        Broken(f"names that are hashes ({algorithm})", "raw_ids.values_hashed", _hashed(algorithm))
        for algorithm in ("md5", "sha1", "sha256")
    ),
    Broken("a part with a hashed name", "raw_ids.values_hashed", _one_hashed, kind=POINTS),
    Broken("a name that is a short identifier", "raw_ids.values_short", _short_name),
    Broken("an identifier in the manifest", "raw_ids.manifest_plain", lambda d: _note(d, first_person(d))),
    Broken(
        "a hashed identifier in the manifest", "raw_ids.manifest_hashed", lambda d: _note(d, digest(first_person(d)))
    ),
    Broken("a short identifier in the manifest", "raw_ids.manifest_short", _noted(_SHORT)),
    Broken("an identifier that is a word, in the manifest", "raw_ids.manifest_words", _noted(_WORD)),
    Broken("an identifier in the mechanism's name", "raw_ids.manifest_words", _glued_to_the_mechanism),
    Broken("an identifier in a parameter's name", "raw_ids.manifest_words", _glued_to_a_parameter),
    Broken("an identifier on the page", "raw_ids.page_plain", lambda d: _on_page(d, first_person(d))),
    Broken("a hashed identifier on the page", "raw_ids.page_hashed", lambda d: _on_page(d, digest(first_person(d)))),
    Broken("an identifier in a file too many", "raw_ids.other_files_plain", tamper=_left_behind(hashed=False)),
    Broken("a hashed identifier in a file too many", "raw_ids.other_files_hashed", tamper=_left_behind(hashed=True)),
)
