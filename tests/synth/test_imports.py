"""Making data must not cost the start-up time of libraries that it does not need."""

import subprocess
import sys


def test_heavy_libraries_stay_out():
    script = (
        "import sys, shoal.synth\n"
        "print([m for m in ('numba', 'scipy', 'sklearn', 'pandas', 'pyproj') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
