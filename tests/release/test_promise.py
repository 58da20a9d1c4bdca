import dataclasses
import json

import pytest

from shoal.release import Promise


def test_to_dict_is_plain_json():
    promise = Promise("geo-i", "holds", "knows", "point", ("times",), {"epsilon_per_m": 0.007})
    assert json.loads(json.dumps(promise.to_dict())) == {
        "name": "geo-i",
        "holds": "holds",
        "attacker": "knows",
        "unit": "point",
        "not_covered": ["times"],
        "budgets": {"epsilon_per_m": 0.007},
    }


def test_is_a_frozen_value():
    budgets = {"epsilon": 1.0}
    promise = Promise("a", "b", "c", "d", ("e",), budgets)
    budgets["epsilon"] = 2.0
    assert promise.budgets["epsilon"] == 1.0
    assert promise == Promise("a", "b", "c", "d", ("e",), {"epsilon": 1.0})
    assert hash(promise) == hash(Promise("a", "b", "c", "d", ("e",), {"epsilon": 1.0}))
    with pytest.raises(dataclasses.FrozenInstanceError):
        promise.name = "x"
    with pytest.raises(TypeError):
        promise.budgets["epsilon"] = 3.0
