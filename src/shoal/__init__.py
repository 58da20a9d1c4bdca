"""Shoal: publish mobility data without giving away where anyone lives.

The map of the library, in the order in which data flow:

- :func:`read` turns files and frames into :class:`Traces`, samples on a :class:`Grid`; :func:`read_fixes` into
  :class:`Fixes`, raw points; :func:`read_profiles` reads call :class:`Profiles`, :func:`build_profiles` makes them
  from call records. :class:`ReadOptions` say how, and :func:`read_with_report` also tells what was found.
- :func:`overview` tells what is in them, :func:`measure` how hard the people in them are to hide, :func:`risk` how few
  fit what somebody may know of them.
- Mechanisms (:class:`Glove`, :class:`Uniform`; :mod:`shoal.mechanisms.registry` lists all) are parameters, a ``claim``,
  a ``promise`` in words and ``protect()``, which returns a :class:`Release`; ``release.write()`` publishes it, all or
  nothing. :func:`protect` does both, and refuses before the long work what cannot be published.
  :func:`open_release` opens what was written; both have ``to_polars()``, ``to_pandas()`` and ``to_geopandas()``, and
  :func:`export` writes them in the shapes of other libraries.
- :func:`audit` checks what a release promises and returns a :class:`Verdict`; :func:`utility` tells what it is still
  good for; :func:`dossier` puts both together for those who sign; :func:`sociometer` counts residents, commuters and
  visitors from call profiles, raw or released.
- :mod:`shoal.synth` makes synthetic people to try all this on.
- Everything that goes wrong is a :class:`ShoalError` with what was found, what was expected and a hint.

Names are loaded when they are first used, so that importing the package stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal.mechanisms.registry import CLASSES

if TYPE_CHECKING:
    from shoal.attacks import Risk, risk
    from shoal.attacks.released import Released, open_release
    from shoal.auditor import Verdict, audit
    from shoal.contract.promise import Promise
    from shoal.data import (
        Boxes,
        Fixes,
        Grid,
        Points,
        Profiles,
        ReadOptions,
        ReadReport,
        Traces,
        build_profiles,
        read,
        read_fixes,
        read_profiles,
        read_with_report,
    )
    from shoal.dossiers import Dossier, dossier
    from shoal.engines.local import Local
    from shoal.engines.spark import Spark
    from shoal.errors import ShoalError
    from shoal.exports import Exported, export
    from shoal.measurement import KGap, Overview, measure
    from shoal.measurement.overview import overview
    from shoal.mechanisms.base import Mechanism
    from shoal.mechanisms.geoind import GeoInd as GeoInd
    from shoal.mechanisms.glove import Glove as Glove
    from shoal.mechanisms.promesse import Promesse as Promesse
    from shoal.mechanisms.run import protect
    from shoal.mechanisms.uniform import Uniform as Uniform
    from shoal.release import Protected, Release
    from shoal.usefulness import Accuracy, utility
    from shoal.usefulness.sociometer import Census, sociometer

__version__ = "0.1.0"

_HOME_OF = {
    "Accuracy": "shoal.usefulness",
    "Boxes": "shoal.data",
    "Census": "shoal.usefulness.sociometer",
    "Dossier": "shoal.dossiers",
    "Exported": "shoal.exports",
    "Fixes": "shoal.data",
    "Grid": "shoal.data",
    "KGap": "shoal.measurement",
    "Local": "shoal.engines.local",
    "Mechanism": "shoal.mechanisms.base",
    "Overview": "shoal.measurement",
    "Points": "shoal.data",
    "Profiles": "shoal.data",
    "Promise": "shoal.contract.promise",
    "Protected": "shoal.release",
    "ReadOptions": "shoal.data",
    "ReadReport": "shoal.data",
    "Release": "shoal.release",
    "Released": "shoal.attacks.released",
    "Risk": "shoal.attacks",
    "ShoalError": "shoal.errors",
    "Spark": "shoal.engines.spark",
    "Traces": "shoal.data",
    "Verdict": "shoal.auditor",
    "audit": "shoal.auditor",
    "build_profiles": "shoal.data",
    "dossier": "shoal.dossiers",
    "export": "shoal.exports",
    "measure": "shoal.measurement",
    "open_release": "shoal.attacks.released",
    "overview": "shoal.measurement",
    "protect": "shoal.mechanisms.run",
    "read": "shoal.data",
    "read_fixes": "shoal.data",
    "read_profiles": "shoal.data",
    "read_with_report": "shoal.data",
    "risk": "shoal.attacks",
    "sociometer": "shoal.usefulness.sociometer",
    "utility": "shoal.usefulness",
    **CLASSES,
}

__all__ = [
    "Accuracy",
    "Boxes",
    "Census",
    "Dossier",
    "Exported",
    "Fixes",
    "Grid",
    "KGap",
    "Local",
    "Mechanism",
    "Overview",
    "Points",
    "Profiles",
    "Promise",
    "Protected",
    "ReadOptions",
    "ReadReport",
    "Release",
    "Released",
    "Risk",
    "ShoalError",
    "Spark",
    "Traces",
    "Verdict",
    "audit",
    "build_profiles",
    "dossier",
    "export",
    "measure",
    "open_release",
    "overview",
    "protect",
    "read",
    "read_fixes",
    "read_profiles",
    "read_with_report",
    "risk",
    "sociometer",
    "utility",
]
__all__ += sorted(CLASSES)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'shoal' has no attribute '{name}'")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
