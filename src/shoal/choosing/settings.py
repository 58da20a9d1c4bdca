"""Which mechanisms are tried on which data, with which parameters: what their classes declare."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shoal.data import Profiles
from shoal.errors import ParameterError
from shoal.mechanisms import registry
from shoal.mechanisms.options import options_of

if TYPE_CHECKING:
    from shoal.mechanisms.base import Mechanism

MISTAKEN_FOR = {"events": "calls"}
"""Whoever has the one will ask for what suits the other: it is tried too, and the figures tell."""


@dataclass(frozen=True)
class Setting:
    """A mechanism with parameters.

    >>> Setting("uniform", {"cell_m": 500, "minutes": 15}).options
    '--cell-m 500 --minutes 15'
    """

    mechanism: str
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def type(self) -> "type[Mechanism]":
        return registry.find(self.mechanism)

    def made(self) -> "Mechanism":
        return self.type(**self.parameters)

    @property
    def options(self) -> str:
        """The parameters, as somebody would type them."""
        return " ".join(f"--{name.replace('_', '-')} {shlex.quote(_typed(v))}" for name, v in self.parameters.items())

    @property
    def typed(self) -> str:
        """What follows ``shoal protect``, without the data."""
        return f"{self.mechanism} {self.options}".strip()

    @property
    def words(self) -> str:
        """The name and the parameters, for people."""
        return " ".join((self.mechanism, *(_typed(value) for value in self.parameters.values())))

    @property
    def file(self) -> str:
        """Name of its files: small letters, digits and signs that are safe everywhere."""
        text = "-".join((self.mechanism, *(f"{name}-{_typed(value)}" for name, value in self.parameters.items())))
        return "".join(sign if sign.isalnum() or sign in "-._" else "-" for sign in text.lower())


def _typed(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def suiting(nature: str) -> list[str]:
    """Name the mechanisms that are made for such data, sorted.

    >>> "promesse" in suiting("dense"), "promesse" in suiting("calls")
    (True, False)
    """
    return [name for name in registry.names() if nature in _suits(name)]


def _suits(name: str) -> tuple[str, ...]:
    """What data a mechanism is made for; none where it comes from somebody's package that is broken."""
    try:
        return tuple(registry.find(name).suits)
    except ParameterError:
        return ()


def settings_for(nature: str, names: Sequence[str] = ()) -> list[Setting]:
    """Return what to try on such data: what the named mechanisms declare, or all that suit.

    Parameters
    ----------
    nature
        Of the data.
    names
        Those that somebody wants to see, whether they suit or not.
    """
    profiles = nature == "profiles"
    wanted = list(dict.fromkeys(names)) or sorted({*suiting(nature), *suiting(MISTAKEN_FOR.get(nature, nature))})
    found = []
    for name in wanted:
        mechanism = registry.find(name)
        if (mechanism.takes is Profiles) != profiles:
            raise ParameterError(
                f"a mechanism '{name}' on {'profiles' if profiles else 'places and times'}",
                expected="mechanisms that work on such data",
                hint="for example " + ", ".join(suiting(nature)),
            )
        found += [Setting(name, one) for one in mechanism.typical or _defaults(mechanism)]
    return found


def _defaults(mechanism: "type[Mechanism]") -> tuple[Mapping[str, Any], ...]:
    """No parameters at all, where a mechanism of somebody else's declares none and needs none."""
    from dataclasses import MISSING

    return () if any(default is MISSING for _, _, default in options_of(mechanism)) else ({},)
