"""What all tests share."""

from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is not a failed test: nothing here is timed. `make test` tries the same cases each time; `make fuzz`
# looks for new ones, and what it finds becomes an @example.
settings.register_profile("shoal", deadline=None, derandomize=True)
settings.register_profile("fuzz", deadline=None, derandomize=False, print_blob=True)
settings.load_profile("shoal")

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(autouse=True)
def _no_ledger_of_the_user(tmp_path_factory, monkeypatch):
    """No test reads or writes the ledger of whoever runs it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest.fixture(scope="session")
def shared_data():
    """Return the path of a file of real data; skip, with its name, where a checkout does not have it."""

    def find(name):
        path = SHARED_DATA / name
        if not path.exists():
            pytest.skip(f"no {name}")
        return path

    return find
