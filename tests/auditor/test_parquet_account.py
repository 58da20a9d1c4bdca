"""Every byte of data.parquet: written again, or accounted for one by one where another version wrote it."""

import io
import json
from unittest import mock

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from shoal.auditor import checks, parquet_again
from shoal.auditor.case import Case
from shoal.auditor.parquet_thrift import BINARY
from shoal.auditor.registry import run_checks
from shoal.auditor.selftest.broken_container import METADATA
from shoal.auditor.selftest.footer import with_footer
from shoal.auditor.selftest.run import SOUND
from shoal.auditor.selftest.sound_points import sound_points
from shoal.contract.parquet import COMPRESSION, ROWS_PER_GROUP, WRITER
from shoal.release.parquet import write_parquet

assert checks.THEMES

OTHER = "26.0.0"
"""A version that is not installed."""

AT_THE_EDGE = ("metadata.magic", "metadata.footer_readable", "metadata.footer_spelling")
NOT_STRUCTURE = ("metadata.writer", "metadata.writer_version", "metadata.writer_possible", "metadata.canonical")


def _other_version(footer):
    footer[6] = BINARY, f"parquet-cpp-arrow version {OTHER}".encode()


by_another = with_footer(_other_version)


def looked_at(release):
    (check,) = run_checks(Case(release), only={"metadata"})
    return check


def of_another_version(draft):
    """Let a draft be written by a version that is not installed, and say so."""
    before = draft.forged or (lambda content: content)
    draft.forged = lambda content: by_another(before(content))
    draft.manifest["versions"]["pyarrow"] = OTHER
    return draft


def written_again(table, text):
    groups = (table.slice(start, ROWS_PER_GROUP) for start in range(0, max(table.num_rows, 1), ROWS_PER_GROUP))
    return parquet_again.written_again(table.schema, groups, text)


def written(table, **options):
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, table.schema, **{"compression": COMPRESSION, **WRITER, **options}) as writer:
        for start in range(0, max(table.num_rows, 1), ROWS_PER_GROUP):
            writer.write_table(table.slice(start, ROWS_PER_GROUP).combine_chunks(), row_group_size=ROWS_PER_GROUP)
    return sink.getvalue()


def account(folder, content, version=OTHER):
    """Look at the bytes of a file that is said to be of another version."""
    folder.mkdir(exist_ok=True)
    (folder / "data.parquet").write_bytes(by_another(content) if version == OTHER else content)
    (folder / "manifest.json").write_text(json.dumps({"versions": {"pyarrow": version}}))
    return looked_at(folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("release")


@pytest.mark.parametrize("kind", SOUND, ids=lambda kind: kind.name)
def test_both_ways_pass_what_is_sound(kind, tmp_path):
    check = looked_at(SOUND[kind]().write(tmp_path / "here").release)
    assert (check.status, check.figures) == ("pass", {"way": "written again"})
    check = looked_at(of_another_version(SOUND[kind]()).write(tmp_path / "elsewhere").release)
    assert check.status == "pass"
    assert check.figures["way"] == "accounted for"
    assert check.figures["pages"] > 0
    assert check.figures["compressed_otherwise"] == 0
    assert check.reason.endswith("every byte is accounted for")
    assert OTHER in check.reason


@pytest.mark.parametrize(
    "broken",
    [broken for broken in METADATA if broken.condition not in (*AT_THE_EDGE, *NOT_STRUCTURE)],
    ids=lambda broken: broken.words.replace(" ", "_"),
)
def test_another_version_in_the_footer_hides_nothing(broken, tmp_path):
    draft = SOUND[broken.kind]()
    broken.change(draft)
    check = looked_at(of_another_version(draft).write(tmp_path).release)
    assert broken.condition.partition(".")[2] in check.broken
    assert "canonical" not in check.broken
    assert "completed" not in check.broken


def test_how_another_version_compressed_is_the_one_thing_that_is_not_accounted_for(tmp_path):
    draft = sound_points(seed=1)
    draft.options = {"compression_level": 19}
    check = looked_at(of_another_version(draft).write(tmp_path).release)
    assert check.status == "pass"
    assert check.figures["compressed_otherwise"] > 0
    assert "except for how" in check.reason


@pytest.mark.slow
def test_no_single_byte_of_the_same_table_is_free(folder):
    """Of a file by another version. A few bits of how it is compressed can be changed: that is seen and said."""
    rng = np.random.default_rng(1)
    draft = sound_points(people=3, parts=2, points=12, seed=1)
    content = by_another(written(draft.rows().replace_schema_metadata(None)))
    table = pq.read_table(io.BytesIO(content))
    (folder / "manifest.json").write_text(json.dumps({"versions": {"pyarrow": OTHER}}))
    path = folder / "data.parquet"
    path.write_bytes(content)
    assert looked_at(folder).status == "pass"
    rejected = 0
    for at in range(len(content)):
        changed = content[:at] + bytes([content[at] ^ int(rng.integers(1, 256))]) + content[at + 1 :]
        path.write_bytes(changed)
        case = Case(folder)
        if case.table is None:
            continue
        (check,) = run_checks(case, only={"metadata"})
        assert "completed" not in check.broken, at
        if pa.concat_tables(case.table.pieces()).equals(table):
            assert check.status == "fail" or check.figures["compressed_otherwise"] == 1, at
            rejected += check.status == "fail"
    assert rejected > 80


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_what_the_writer_writes_is_accounted_for(folder, data):
    rows = data.draw(st.integers(1, 3_000))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))

    def column(values):
        """Few or many values, in runs or not."""
        few = values[: max(1, int(rng.integers(1, 40) ** 2))]
        picked = few[rng.integers(0, few.size, rows)]
        return np.sort(picked) if rng.random() < 0.4 else np.repeat(picked, rng.integers(1, 30))[:rows]

    many = rng.integers(-(10**6), 10**6, rows)
    names = np.array([rng.bytes(int(rng.integers(0, 17))).hex() for _ in range(rows)])
    table = pa.table(
        {
            "uid": pa.array(column(names), pa.string()),
            "datetime": pa.array(column(many), pa.timestamp("us", "UTC")),
            "x": pa.array(column(many), pa.int32()),
            "lat": pa.array(column(many) / 64 + 0.0),
        }
    )
    content = written(table)
    assert account(folder, content).status == "pass"
    again = account(folder, content, pa.__version__)
    assert (again.status, again.figures["way"]) == ("pass", "written again")
    assert written_again(table, memoryview(content))


def large(rows, seed=1):
    """Names and numbers that fill dictionaries, over more than one row group."""
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "uid": pa.array([rng.bytes(16).hex() for _ in range(rows)]),
            "municipality": pa.array([f"town-{n}" for n in rng.integers(0, 300, rows)]),
            "datetime": pa.array(np.sort(rng.integers(0, 10**12, rows)), pa.timestamp("us", "UTC")),
            "x": pa.array(rng.integers(0, 1 << 18, rows), pa.int32()),
            "lat": rng.uniform(-90, 90, rows),
            "lng": np.round(rng.uniform(-1, 1, rows), 2) + 0.0,
        }
    )


@pytest.mark.slow
def test_full_dictionaries_and_several_row_groups_are_accounted_for(folder):
    table = large(ROWS_PER_GROUP + 30_000)
    content = written(table)
    meta = pq.read_metadata(io.BytesIO(content))
    assert meta.num_row_groups == 2
    check = account(folder, content)
    assert check.status == "pass", check.reason
    assert check.figures["compressed_otherwise"] == 0
    assert account(folder, content, pa.__version__).figures == {"way": "written again"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "condition"),
    [
        ({"dictionary_pagesize_limit": 1 << 22}, "encodings"),
        ({"dictionary_pagesize_limit": 1 << 16}, "encodings"),
        ({"max_rows_per_page": 19_999}, "page_rows"),
        ({"data_page_size": 1 << 16}, "page_rows"),
    ],
)
def test_other_limits_of_the_writer_show(folder, options, condition):
    check = account(folder, written(large(60_000), **options))
    assert check.broken == (condition,)


def test_tables_in_pieces_are_written_as_tables_in_one_piece():
    """Of real rows, by the real writer: the auditor's own must come to the same bytes whatever the pieces."""
    table = large(50_000)
    pieces = pa.concat_tables([table.slice(start, 777) for start in range(0, table.num_rows, 777)])
    for source in (table, pieces):
        sink = io.BytesIO()
        write_parquet(source, sink)
        assert written_again(table, memoryview(sink.getvalue()))
        assert written_again(pieces, memoryview(sink.getvalue()))


def test_metadata_of_the_table_are_not_written_again():
    table = large(10)
    fields = [field.with_metadata({"PARQUET:field_id": "7"}).with_nullable(False) for field in table.schema]
    dirty = table.cast(pa.schema(fields, {"pandas": "{}"}))
    assert written_again(dirty, memoryview(written(table)))
    assert not written_again(table, memoryview(written(dirty)))


@pytest.mark.parametrize(
    "change", [lambda c: c + b"x", lambda c: c[:-1], lambda c: c[:10] + b"x" + c[11:], lambda c: c[:0]]
)
def test_written_again_is_about_all_bytes(change):
    table = large(100)
    assert not written_again(table, memoryview(change(written(table))))


def test_writing_again_stops_at_the_first_difference():
    table = large(5_000)
    content = written(table)
    with mock.patch("shoal.auditor.parquet_again.ROWS_PER_GROUP", 100):
        writer = pq.ParquetWriter
        calls = []

        class Counting(writer):
            def write_table(self, *args, **more):
                calls.append(args)
                super().write_table(*args, **more)

        with mock.patch("shoal.auditor.parquet_again.pq.ParquetWriter", Counting):
            assert not written_again(table, memoryview(content))
    assert len(calls) == 1


def test_a_table_that_the_writer_does_not_take_is_not_its_own():
    table = pa.table({"a": pa.array([None], pa.month_day_nano_interval())})
    assert not written_again(table, memoryview(b""))


@pytest.mark.parametrize("said", [None, 26, "x", "1.2.3", {}])
def test_the_manifest_names_the_version_that_wrote(tmp_path, said):
    draft = sound_points(seed=1)
    draft.manifest["versions"] = {**draft.manifest["versions"], "pyarrow": said}
    assert looked_at(draft.write(tmp_path / "value").release).broken == ("writer_version",)
    draft.manifest["versions"] = said
    assert looked_at(draft.write(tmp_path / "all").release).broken == ("writer_version",)
