"""What all tests share."""

from pathlib import Path

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

# A busy machine is not a failed test: nothing here is timed. `make test` tries the same cases each time; `make fuzz`
# looks for new ones, and what it finds becomes an @example.
# The same cases each time, so more of them would find nothing new: `make fuzz` tries others, and more.
settings.register_profile("shoal", deadline=None, derandomize=True, max_examples=30)
settings.register_profile("fuzz", deadline=None, derandomize=False, print_blob=True)
settings.load_profile("shoal")

SPREAD = (
    "tests/system/test_audit",
    "tests/system/test_commands",
    "tests/system/test_run",
    "tests/auditor/test_glove",
    "tests/test_docs_commands",
)
"""Where slow tests are that share nothing."""


class ByFile(LoadScopeScheduling):
    """Tests of one file go to one worker, as they share what is costly to make; those of `SPREAD` go anywhere."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid if nodeid.startswith(SPREAD) else nodeid.partition("::")[0]


def pytest_xdist_make_scheduler(config, log):
    return ByFile(config, log)


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
