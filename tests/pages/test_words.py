"""Whatever a page may name has words."""

import pytest

from shoal.auditor import checks
from shoal.auditor.registry import ORDER
from shoal.contract import page as allowed
from shoal.contract.claims import CLAIMS
from shoal.contract.kinds import KINDS
from shoal.pages import release, words

assert checks.THEMES


def test_checks_claims_and_kinds_have_words():
    assert set(words.CHECKS) == set(ORDER)
    assert set(words.IN_SHORT) == set(CLAIMS)
    assert set(words.KIND) == set(KINDS) == set(allowed.PEOPLE_BY)
    assert set(words.PEOPLE_BY) == set(allowed.EDGES) == {n for names in allowed.PEOPLE_BY.values() for n in names}
    assert set(words.LIKENESS) == set(allowed.LIKENESS)
    assert set(words.THIRD) == set(allowed.THIRDS)


def test_shades_of_the_map_are_made_of_bins():
    assert set(release._SHADES_M) < set(allowed.SPACE_M)


@pytest.mark.parametrize("name", allowed.EDGES)
def test_bins_have_names_of_their_own(name):
    named = words.bin_names(allowed.EDGES[name], words.unit_of(name))
    assert len(set(named)) == len(allowed.EDGES[name]) + 1


def test_no_page_calls_anything_anonymous():
    texts = [*words.CHECKS.values(), *words.IN_SHORT.values(), release._PROVES]
    assert not any("anonymous" in text.lower() for text in texts)
