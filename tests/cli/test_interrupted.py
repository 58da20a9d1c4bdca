"""Ctrl-C ends a command, wherever it comes."""

import subprocess
import sys
import textwrap

LOST = textwrap.dedent("""
    import ctypes, signal, time
    from shoal.cli import app

    @ctypes.CFUNCTYPE(None)
    def kernels_are_loaded():
        signal.raise_signal(signal.SIGINT)

    def run():
        kernels_are_loaded()
        time.sleep(30)

    app.run = run
    app.main()
""")
"""What is raised in the callback is lost, as where numba loads a kernel."""


def test_ctrl_c_that_is_lost_in_a_callback_ends_the_command():
    ended = subprocess.run([sys.executable, "-c", LOST], capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stderr) == (130, "interrupted\n")
