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
    monkeypatch.setattr(sources.pa_csv, "read_csv", note)
    return noted


def write(tmp_path, text):
    path = tmp_path / "e.csv"
    path.write_text(text)
    return path


def test_threads_get_no_python_function(tmp_path, readings):
    """One that lets it go while the interpreter ends aborts the process, with a code that means nothing."""
    sources.read_columns(write(tmp_path, SOUND), ["uid"], drop_ragged=False)
    assert readings == [(True, False)]
    readings.clear()
    sources.read_columns(write(tmp_path, RAGGED), ["uid"], drop_ragged=True)
    assert readings == [(True, False), (False, True)]


def test_ragged_rows_are_counted_once_and_left_out(tmp_path):
    raw = sources.read_columns(write(tmp_path, RAGGED), ["uid"], drop_ragged=True)
    assert raw.ragged_rows == 2
    assert raw.frame["uid"].to_list() == ["a", "a", "a", "c"]


def test_the_first_ragged_row_is_told(tmp_path):
    with pytest.raises(DataError, match=r"row 4 has another number .* \(2 such rows\)"):
        sources.read_columns(write(tmp_path, RAGGED), ["uid"], drop_ragged=False)
