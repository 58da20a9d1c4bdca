"""What the page of a measure directory draws."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import DataError
from shoal.measurement.binned import binned


def test_shares_and_parts_of_each_k(tmp_path):
    users = {"k": [2, 2, 5], "kgap": [0.0, 0.3, 0.5], "spatial": [0.0, 0.26, 0.1], "temporal": [0.0, 0.04, 0.4]}
    pq.write_table(pa.table(users), tmp_path / "users.parquet")
    found = binned(tmp_path)
    at = found["steps"].index(0.3)
    assert [found["shares"]["2"][i] for i in (0, at - 1, at, -1)] == [0.5, 0.5, 1.0, 1.0]
    assert found["shares"]["5"][at] == 0
    assert found["parts"]["2"] == [[0.0, 0.0, 1], [0.25, 0.0, 1]]
    assert list(found["shares"]) == ["2", "5"]


def test_a_directory_without_people_is_an_error(tmp_path):
    with pytest.raises(DataError, match=r"users\.parquet"):
        binned(tmp_path)
