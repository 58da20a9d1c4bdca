"""How files are opened; what is in them is the matter of the other tests of this room."""

import pyarrow.csv as pa_csv
import pytest

from shoal.data import sources
from shoal.errors import DataError

SOUND = "uid,lat\n" + "a,1\n" * 3
RAGGED = SOUND + "b\n" + "c,2\n" + "d,3,4\n"


@pytest.fixture
def readings(monkeypatch):
    """Note for each reading of a CSV file whether threads had a part in it, and whether they got a Python function."""
    noted = []

    def note(file, read_options, parse_options, convert_options):
        noted.append((read_options.use_threads, parse_options.invalid_row_handler is not None))
        return real(file, read_options=read_options, parse_options=parse_options, convert_options=convert_options)

    real = pa_csv.read_csv
    monkeypatch.setattr(pa_csv, "read_csv", note)
    return noted


def read_columns(tmp_path, text, **options):
    path = tmp_path / "e.csv"
    path.write_text(text)
    return sources.read_columns(sources.open_files([path]), ["uid"], **options)


def test_threads_get_no_python_function(tmp_path, readings):
    """One that lets it go while the interpreter ends aborts the process, with a code that means nothing."""
    read_columns(tmp_path, SOUND)
    assert readings == [(True, False)]
    readings.clear()
    read_columns(tmp_path, RAGGED, drop_ragged=True)
    assert readings == [(True, False), (False, True)]


def test_ragged_rows_are_counted_once_and_left_out(tmp_path):
    raw = read_columns(tmp_path, RAGGED, drop_ragged=True)
    assert raw.ragged_rows == 2
    assert raw.frame["uid"].to_list() == ["a", "a", "a", "c"]


def test_the_first_ragged_row_is_told(tmp_path):
    with pytest.raises(DataError, match=r"row 4 has another number .* \(2 such rows\)"):
        read_columns(tmp_path, RAGGED)
