"""How much there is to read: files, lengths of functions, and the way from `protect glove` to the first kernel.

`--source DIR` looks at another checkout's `src/shoal`, to compare before and after.
"""

import argparse
import ast
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[1] / "src" / "shoal"

TRACED = """
import sys
from pathlib import Path
root = {root!r}

def told(frame, event, argument):
    file = frame.f_code.co_filename
    if event != "call" or "/shoal/kernels/" not in file or file.endswith("/jit.py"):
        return
    stack, chain = frame, []
    while stack is not None:
        file = stack.f_code.co_filename
        if stack.f_code.co_name == "<module>" and "/shoal/kernels/" in file:
            return  # being imported, not called
        if "/shoal/" in file and file not in chain:
            chain.append(file)
        stack = stack.f_back
    sys.setprofile(None)
    print(len(chain), " → ".join(Path(file).relative_to(root).as_posix() for file in reversed(chain)))
    raise SystemExit(0)

sys.argv = ["shoal", "protect", "glove", {data!r}, "--k", "2", "--out", {out!r}, "--not-for-release", "-q"]
import shoal.cli
sys.setprofile(told)
shoal.cli.main()
"""


def lengths(source: Path) -> list[int]:
    """Lines of every function, its docstring left out."""
    found = []
    for path in source.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                first = node.body[0]
                has_words = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
                words = (first.end_lineno or 0) - first.lineno + 1 if has_words else 0
                found.append((node.end_lineno or 0) - node.lineno + 1 - words)
    return found


def chain(source: Path) -> str:
    """Files that a reader follows from the command to the first kernel, in the order of calls."""
    with tempfile.TemporaryDirectory() as folder:
        data = str(Path(folder) / "events.parquet")
        env = {"PYTHONPATH": str(source.parent), "PATH": "/usr/bin:/bin", "HOME": folder}
        synth = ["-m", "shoal", "synth", "cdr", "--users", "20", "--days", "2", "--out", data, "-q"]
        subprocess.run([sys.executable, *synth], check=True, env=env)
        code = TRACED.format(root=str(source), data=data, out=str(Path(folder) / "release"))
        done = subprocess.run([sys.executable, "-c", code], check=True, env=env, capture_output=True, text=True)
        return done.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, default=HERE, help="the package's folder")
    parser.add_argument("--full", action="store_true", help="the same")
    source = parser.parse_args().source.resolve()
    files = list(source.rglob("*.py"))
    lines = [len(path.read_text().splitlines()) for path in files]
    functions = sorted(lengths(source))
    at_95 = functions[int(0.95 * len(functions))]
    print(f"{len(files)} files, {sum(lines):,} lines, median {statistics.median(lines):.0f}, longest {max(lines)}")
    print(f"{len(functions):,} functions: median {statistics.median(functions):.0f} lines, 95 % at most {at_95}")
    print(f"from the command to the first kernel: {chain(source)}")


if __name__ == "__main__":
    main()
