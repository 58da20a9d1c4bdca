"""Environments for other people's packages: made on first use, at the versions that this folder pins."""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent


class Peer(NamedTuple):
    """A package to stand beside.

    Attributes
    ----------
    name, version
        As it is installed.
    short
        Of its environment, ``.venv-<short>``, and its constraints, ``constraints-<short>.txt``.
    needs
        What it imports; binary wheels.
    sources
        Packages, itself among them, that are installed without what they ask for: they pin what cannot be had any more.
    check
        Runs where it works.
    """

    name: str
    version: str
    short: str
    needs: tuple[str, ...]
    sources: tuple[str, ...]
    check: str


SKMOB = Peer(
    "scikit-mobility",
    "1.3.1",
    "skmob",
    (
        *("numpy", "pandas", "shapely", "geopandas", "fiona", "h3", "scipy", "folium", "matplotlib", "geojson"),
        *("tqdm", "requests", "rtree", "pyarrow"),
    ),
    ("scikit-mobility==1.3.1",),
    "import pyarrow, rtree; from skmob.privacy import attacks",
)
DPMR = Peer(
    "dp_mobility_report",
    "0.2.11",
    "dpmr",
    (
        *("numpy", "pandas", "shapely", "geopandas", "fiona", "scipy", "scikit-learn", "diffprivlib", "haversine"),
        *("jinja2", "matplotlib", "pyproj", "rtree", "geojson", "seaborn", "tqdm", "opencv-python-headless"),
        *("folium", "dill", "psutil", "setuptools", "wheel"),
    ),
    ("pandarallel==1.6.5", "dp_mobility_report==0.2.11"),
    "from dp_mobility_report import BenchmarkReport",
)
FRAMES = Peer(
    "trackintel and MovingPandas",
    "1.4.2 and 0.23.0",
    "frames",
    ("trackintel", "movingpandas", "pyarrow"),
    ("trackintel==1.4.2", "movingpandas==0.23.0"),
    "import movingpandas, pyarrow, trackintel",
)


def python_of(peer: Peer) -> Path | None:
    """Return the interpreter that has the package; None, and a line that says so, where it cannot be had."""
    environment = ROOT / f".venv-{peer.short}"
    python = environment / "bin" / "python"
    check = [str(python), "-W", "ignore", "-c", peer.check]
    if python.exists() and not subprocess.run(check, capture_output=True).returncode:
        return python
    print(f"making {environment.name} for {peer.name} {peer.version} (once)", flush=True)
    pip = [str(python), "-m", "pip", "install", "--quiet"]
    constraints = HERE / f"constraints-{peer.short}.txt"
    for command in (
        [sys.executable, "-m", "venv", str(environment)],
        [*pip, "--only-binary", ":all:", "--constraint", str(constraints), *peer.needs],
        [*pip, "--no-deps", "--no-build-isolation", *peer.sources],
        check,
    ):
        if subprocess.run(command, capture_output=True, text=True).returncode:
            print(f"{peer.name} cannot be had here, and is not compared. What failed, to be tried by hand:")
            print("  " + " ".join(command).replace(f"{ROOT}/", ""))
            return None
        (environment / ".gitignore").write_text("*\n")
    return python


def asked(python: Path, peer: Peer, script: Path, *arguments: str) -> str:
    """Run a script inside the other environment; return what it prints."""
    done = subprocess.run([str(python), "-W", "ignore", str(script), *arguments], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{peer.name} failed:\n{done.stderr[-2000:]}")
    return done.stdout
