"""The list of mechanisms: one line each. Everything that offers mechanisms follows from it.

A line is the name, and where the class is. Classes are loaded when they are asked for. Other people's packages add
theirs through an entry point of the group ``shoal.mechanisms``, in the same form; what is built in keeps its name.
"""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from shoal.contract.parameters import is_mechanism
from shoal.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from shoal.mechanisms.base import Mechanism

BUILT_IN = {
    "geoind": "shoal.mechanisms.geoind:GeoInd",
    "glove": "shoal.mechanisms.glove:Glove",
    "kte": "shoal.mechanisms.kte:Kte",
    "laplace": "shoal.mechanisms.laplace:LaplaceProfiles",
    "primule": "shoal.mechanisms.primule:Primule",
    "promesse": "shoal.mechanisms.promesse:Promesse",
    "uniform": "shoal.mechanisms.uniform:Uniform",
    "w4m": "shoal.mechanisms.w4m:WaitForMe",
}

CLASSES = {home.partition(":")[2]: home.partition(":")[0] for home in BUILT_IN.values()}
"""The module of each built-in mechanism's class: ``shoal.Glove`` follows from it."""

ENTRY_POINTS = "shoal.mechanisms"


@cache
def homes() -> dict[str, str]:
    """Where each mechanism's class is, those of other packages included."""
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=ENTRY_POINTS)} | BUILT_IN


def names() -> list[str]:
    """Names of all mechanisms, sorted."""
    return sorted(homes())


def find(name: str) -> "type[Mechanism]":
    """Return a mechanism's class by its name.

    >>> find("uniform").name
    'uniform'
    """
    home = BUILT_IN.get(name) or homes().get(name)
    if home is None:
        raise ParameterError(f"a mechanism '{name}'", expected="a known mechanism", hint=did_you_mean(name, names()))
    if not is_mechanism(name):
        raise ParameterError(
            f"a mechanism '{name}'",
            expected="a name that a manifest can carry",
            hint="the package that registers it should call it by a short word in small letters",
        )
    module, _, attribute = home.partition(":")
    try:
        mechanism: type[Mechanism] = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as problem:
        raise ParameterError(
            f"a mechanism '{name}' that cannot be loaded ({type(problem).__name__})",
            expected=f"a class at {home}",
            hint="the package that registers it is broken or incomplete; install it again",
        ) from problem
    return mechanism
