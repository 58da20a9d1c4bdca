"""Imports that other libraries do on the way, and that no command needs: a fifth of the time of a small one.

Arrow looks for pandas when it is first given an array, and numba for scipy, once when it is loaded and again when it
gets ready to compile. Both do without where they find nothing. So a command lets them find nothing, and so do the
processes that compile for it, unless somebody else's mechanism is at work, which may want either. As a library Shoal
keeps its hands off: there the process belongs to others.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

_ASKED_BY = {"pandas": ("shoal", "pyarrow"), "scipy": ("numba",), "scipy.linalg": ("numba",)}
"""What is spared, and the packages whose asking counts. Arrow asks from compiled code: that looks like its caller."""


class Spared:
    """A finder that comes before all others, and says of some modules that there are none."""

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """Refuse a module that is spared; leave all others to the finders behind."""
        if name in _ASKED_BY and _asking() in _ASKED_BY[name] and not _others_at_work():
            raise ModuleNotFoundError(f"no {name} in a command of Shoal's", name=name)
        return None


def spare_imports() -> None:
    """Let this process do without what no command needs."""
    sys.meta_path.insert(0, Spared())


def _asking() -> str:
    """Return the package whose code asks for a module."""
    frame = sys._getframe(1)
    while frame.f_back is not None and (
        frame.f_globals.get("__name__") == __name__ or "importlib" in frame.f_code.co_filename
    ):
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _others_at_work() -> bool:
    """Whether a mechanism of another package has been loaded."""
    registry = sys.modules.get("shoal.mechanisms.registry")
    if registry is None or "shoal.mechanisms.base" not in sys.modules:  # without it, no mechanism has been loaded
        return False
    homes = set(registry.homes().values()) - set(registry.BUILT_IN.values())
    return any(home.partition(":")[0] in sys.modules for home in homes)
