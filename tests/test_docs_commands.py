"""What the pages tell people to type works, in the order of the page, from an empty directory.

Run are the lines of ``console`` blocks that start with ``$`` and all ``python`` blocks. Indented commands are not:
installing, and what a page only mentions. A command must exit with 0; one that ends in ``; echo $?`` shows its code,
which must be the page's. Shown output must be there: numbers may differ, and ``…`` stands for anything.

The first pages that people open are typed into a shell, and those about Spark, which wants a process of its own. Of the
others the lines that need no shell are run in this process.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import shoal

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "docs" / "tutorial.md", *sorted((ROOT / "docs" / "how-to").glob("*.md"))]
TYPED = ("README", "tutorial", "spark")
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n?((?:(?!\$ ).*\n)*)", re.MULTILINE)
HERE = "/tmp/first"  # where the pages say that they are


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_runs_in_order(page, tmp_path, monkeypatch):
    if page.stem == "spark" and not shutil.which("java"):
        pytest.skip("no Java: the engine on Spark is not tested")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "80")
    namespace = {}
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    assert blocks
    for language, text in blocks:
        if language == "python":
            exec(compile(text, page.name, "exec"), namespace)
            continue
        for command, shown in COMMAND.findall(text):
            _check(command, shown, *(_typed if page.stem in TYPED else _run)(command))


def _typed(command):
    """Give a line to a shell; return its code and what was said."""
    done = subprocess.run(
        command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False
    )
    return done.returncode, done.stdout


def _run(command):
    """Do the same in this process where the line is one command of ours, with its code or without."""
    alone, _, code_wanted = command.partition("; ")
    words = shlex.split(alone.replace("\\\n", " "), comments=True)
    if words[0] != "shoal" or code_wanted not in ("", "echo $?") or set(alone) & set("|&<>$*?`"):
        return _typed(command)
    done = shoal(*words[1:], home=Path.cwd(), env=os.environ)
    said = done.out + done.err
    return (0, f"{said}{done.code}\n") if code_wanted else (done.code, said)


def _check(command, shown, code, said):
    said = said.replace(str(Path.cwd()), HERE)
    assert code == 0, f"$ {command}\n{said}"
    if command.endswith("echo $?"):
        assert said.split()[-1] == shown.split()[-1], f"$ {command}\n{said}"
    for line in shown.splitlines():
        parts = (re.escape(_loosely(part)) for part in line.split("…"))
        assert re.search(".*".join(parts), _loosely(said)), f"$ {command}\nnot said: {line}\n{said}"


def _loosely(text):
    """Without line breaks, and with a sign for each number."""
    return re.sub(r"\d[\d,.]*", "#", " ".join(text.split()))


def test_what_is_run_and_shown_is_found():
    text = "```console\n$ one \\\n    --more   # why\nsaid\n\nmore\n$ two; echo $?\n3\n```\n\n```python\nx = 1\n```\n"
    (_, console), (language, python) = BLOCK.findall(text)
    found = [("one \\\n    --more   # why", "said\n\nmore\n"), ("two; echo $?", "3\n")]
    assert COMMAND.findall(console) == found
    assert (language, python) == ("python", "x = 1\n")
