"""Build the site: the docs, an API reference from docstrings, notebooks run now. Nothing is fetched, then or later.

    python docs/site/build.py [FOLDER]

The repository's pages are laid out as they lie there, so that their links work as they are.
"""

import inspect
import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

import shoal

SITE = Path(__file__).resolve().parent
sys.path.insert(0, str(SITE))

from gallery import page_of  # noqa: E402
from offline import asked_for  # noqa: E402

ROOT = SITE.parents[1]
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "CITATION.cff")

MENU = {
    "Start": ["README", "docs/tutorial"],
    "How to": ["docs/how-to/*"],
    "Gallery": ["docs/gallery/*"],
    "Look it up": ["docs/reference/*", "api"],
    "Understand it": ["docs/explanation/*"],
    "Results and decisions": ["docs/results/README", "docs/results/*/README", "docs/adr/README", "docs/adr/0*"],
    "Take part": ["CONTRIBUTING", "CHANGELOG"],
}

API = {
    "Read": ["read", "read_fixes", "read_profiles", "read_with_report", "build_profiles", "ReadOptions", "ReadReport"],
    "Look and measure": ["overview", "Overview", "measure", "KGap", "risk", "Risk"],
    "Protect": ["protect", "Mechanism", "Release", "Protected", "Promise"],
    "Audit, measure, hand on": [
        "audit",
        "Verdict",
        "utility",
        "Accuracy",
        "sociometer",
        "Census",
        "dossier",
        "Dossier",
    ],
    "Work on": ["open_release", "Released", "export", "Exported"],
    "Data": ["Traces", "Fixes", "Profiles", "Boxes", "Points", "Grid", "Local", "ShoalError"],
}


def main(out: Path = ROOT / "build" / "site") -> int:
    source = out.with_name(out.name + "-source")
    for folder in (source, out):
        shutil.rmtree(folder, ignore_errors=True)
    lay_out(source)
    failed = build_main(["-b", "html", "-q", "-W", "--keep-going", "-c", str(SITE), str(source), str(out)])
    asked = [f"{path}: {what}" for path, what in asked_for(out)]
    print("\n".join(f"would ask the network: {line}" for line in asked), end="\n" if asked else "")
    return 1 if failed or asked else 0


def lay_out(source: Path) -> None:
    """Put all pages where Sphinx finds them, those that are made as well."""
    shutil.copytree(ROOT / "docs", source / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    for name in PAGES:
        shutil.copy(ROOT / name, source / name)
    for notebook in sorted((ROOT / "docs" / "gallery").glob("*.py")):
        (source / "docs" / "gallery" / f"{notebook.stem}.md").write_text(page_of(notebook), encoding="utf-8")
    (source / "api.md").write_text(api(), encoding="utf-8")
    (source / "index.md").write_text(front(), encoding="utf-8")
    # Its links lead to pages; as a page of its own it would be a second front page.
    (source / "docs" / "index.md").unlink()


def front() -> str:
    """The front page: that of the docs, and the menu."""
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for folder in ("how-to", "reference", "explanation", "results", "adr", "tutorial.md"):
        text = text.replace(f"]({folder}", f"](docs/{folder}")
    text = text.replace("](../", "](")
    menus = "".join(_menu(caption, pages) for caption, pages in MENU.items())
    return f"{text}\n{menus}"


def _menu(caption: str, pages: list[str]) -> str:
    return f"```{{toctree}}\n:caption: {caption}\n:hidden:\n:glob:\n\n" + "\n".join(pages) + "\n```\n\n"


def api() -> str:
    """The API reference: every public name, by what it is for; the mechanisms after the rest."""
    named = [name for names in API.values() for name in names]
    rest = sorted(set(shoal.__all__) - set(named))
    parts = [
        "# API reference",
        "",
        "Everything that `import shoal` offers. Names are loaded when they are first used.",
        "",
    ]
    for title, names in (API | {"Mechanisms": rest}).items():
        parts += [f"## {title}", "", "```{eval-rst}", *(_entry(name) for name in names), "```", ""]
    return "\n".join(parts)


def _entry(name: str) -> str:
    value = getattr(shoal, name)
    if inspect.isclass(value):
        return f".. autoclass:: shoal.{name}\n   :members:\n   :inherited-members: Exception, object, tuple\n"
    return f".. autofunction:: shoal.{name}\n"


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:2])))
