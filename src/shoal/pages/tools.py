"""The one library that draws: asked for when a page or a picture is made, with a plain word where it is missing."""

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from shoal.contract.page import SCRIPTS
from shoal.errors import ParameterError

INSTALL = "pip install 'shoal[report]'"


def available() -> bool:
    """Tell whether charts can be drawn here."""
    return find_spec("vl_convert") is not None


def require() -> None:
    """Stop where charts cannot be drawn."""
    if not available():
        raise ParameterError("nothing here that draws charts", expected="the extra 'report'", hint=INSTALL)


@cache
def drawing_script() -> str:
    """Return the JavaScript that draws charts in a page; some seconds for the first page."""
    script: str = _vl_convert().javascript_bundle()
    if hashlib.sha256(script.encode()).hexdigest() not in SCRIPTS:
        raise ParameterError(
            "another vl-convert-python than the auditor knows",
            expected=", ".join(SCRIPTS.values()),
            hint=f"{INSTALL} brings it",
        )
    return script


def svg(spec: Mapping[str, Any]) -> str:
    """Draw a chart as SVG: short, and the same each time."""
    return tidied(_vl_convert().vegalite_to_svg(dict(spec)))


def tidied(drawn: str) -> str:
    """Leave out what only scripts would look for, number clips anew, round, and break lines.

    >>> tidied('<svg><g class="a" clip-path="url(#clip7)"><path d="M1.23456,2" role="x"/></g></svg>')
    '<svg>\\n<g clip-path="url(#clip1)">\\n<path d="M1.23,2"/></g></svg>\\n'
    """
    plain = _NEEDLESS.sub("", drawn)
    names = {name: f"clip{i}" for i, name in enumerate(dict.fromkeys(_CLIP.findall(plain)), start=1)}
    plain = _CLIP.sub(lambda found: names[found[0]], plain)
    plain = _LONG.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), plain)
    return re.sub(r"(>)(<[a-z])", r"\1\n\2", plain).strip() + "\n"


_NEEDLESS = re.compile(r' (?:class|role|pointer-events|aria-[a-z]+)="[^"]*"|<path[^>]* d="" [^>]*/>')
_CLIP = re.compile(r"clip\d+")
_LONG = re.compile(r"\d+\.\d{3,}")


def _vl_convert() -> ModuleType:
    require()
    return import_module("vl_convert")
