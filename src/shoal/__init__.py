"""Shoal: publish mobility data without giving away where anyone lives.

The map of the library, in the order in which data flow:

- :func:`read` turns files and frames into :class:`Traces`; :class:`Grid` says what they are snapped to.
- :func:`overview` tells what is in them, :func:`measure` how hard the people in them are to hide, :func:`risk` how few
  fit what somebody may know of them.
- :class:`Glove` and :class:`Uniform` are mechanisms: parameters, a ``promise`` and ``protect()``, which returns a
  :class:`Release`;
  ``release.write()`` publishes it, all or nothing.
- :func:`audit` checks what a release promises and returns a :class:`Verdict`; :func:`utility` tells what it is still
  good for.
- :mod:`shoal.synth` makes synthetic people to try all this on.
- Everything that goes wrong is a :class:`ShoalError` with what was found, what was expected and a hint.

Names are loaded when they are first used, so that importing the package stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.attacks import Risk, risk
    from shoal.auditor import Verdict, audit
    from shoal.data import Boxes, Grid, Profiles, Traces, read
    from shoal.errors import ShoalError
    from shoal.measurement import KGap, Overview, measure, overview
    from shoal.mechanisms import Glove, Uniform
    from shoal.release import Promise, Release
    from shoal.usefulness import Accuracy, utility

__version__ = "0.1.0"

_HOME_OF = {
    "Accuracy": "shoal.usefulness",
    "utility": "shoal.usefulness",
    "Risk": "shoal.attacks",
    "risk": "shoal.attacks",
    "Verdict": "shoal.auditor",
    "audit": "shoal.auditor",
    "Boxes": "shoal.data",
    "Grid": "shoal.data",
    "Profiles": "shoal.data",
    "Traces": "shoal.data",
    "read": "shoal.data",
    "ShoalError": "shoal.errors",
    "KGap": "shoal.measurement",
    "Overview": "shoal.measurement",
    "measure": "shoal.measurement",
    "overview": "shoal.measurement",
    "Glove": "shoal.mechanisms",
    "Uniform": "shoal.mechanisms",
    "Promise": "shoal.release",
    "Release": "shoal.release",
}

__all__ = [
    "Accuracy",
    "Boxes",
    "Glove",
    "Grid",
    "KGap",
    "Overview",
    "Profiles",
    "Promise",
    "Release",
    "Risk",
    "ShoalError",
    "Traces",
    "Uniform",
    "Verdict",
    "audit",
    "measure",
    "overview",
    "read",
    "risk",
    "utility",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'shoal' has no attribute '{name}'")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
