"""Many short runs at once: whatever the threads of the libraries do, every one of them ends as it should."""

import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

RUNS, AT_ONCE = 12, 6


@pytest.fixture
def events(desk):
    desk("synth", "cdr", "--users", "60", "--days", "3", "--seed", "1", "--out", "events.parquet")
    import polars as pl

    frame = pl.read_parquet(desk.home / "events.parquet").with_columns(pl.col("uid").cast(pl.String))
    frame.write_csv(desk.home / "events.csv", datetime_format="%Y-%m-%dT%H:%M:%SZ")
    return "events.csv"


@pytest.mark.slow
def test_reading_text_and_withholding_ends_well_every_time(desk, events):
    def once(number):
        process = desk.start(
            *("protect", "glove", events, "--k", "2", "--suppress-share", "0.05", "--min-per-day", "5"),
            *("--not-for-release", "--out", f"release-{number}"),
        )
        _, err = process.communicate(timeout=300)
        return process.returncode, err

    # The first one compiles what the others use.
    assert once("first")[0] == 0
    with ThreadPoolExecutor(AT_ONCE) as pool:
        ended = list(pool.map(once, range(RUNS)))
    assert [code for code, _ in ended] == [0] * RUNS, next(err for code, err in ended if code)


def test_the_process_ends_although_a_thread_goes_on(desk):
    """Threads that the libraries leave behind must not be waited for, nor meet an interpreter that is taken apart."""
    code = (
        "import threading, time, sys\n"
        "threading.Thread(target=time.sleep, args=(60,)).start()\n"
        "sys.argv = ['shoal', '--version']\n"
        "from shoal.cli import main\n"
        "main()\n"
    )
    import sys

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0
    assert done.stdout.startswith("shoal ")


@pytest.mark.parametrize(("arguments", "code"), [(["--version"], 0), (["nonsense"], 2), (["inspect", "missing"], 1)])
def test_what_was_said_is_flushed(desk, arguments, code):
    result = desk.alone(*arguments)
    assert result.code == code
    assert result.out or result.err
