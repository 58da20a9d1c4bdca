"""The site: notebooks that run, pages that ask no network for anything."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "docs" / "gallery").glob("*.py"))


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / "site" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


gallery, offline = load("gallery"), load("offline")


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".html", '<script src="https://cdn.example/x.js"></script>'),
        (".html", "<script src=//cdn.example/x.js></script>"),
        (".html", '<link rel="stylesheet" href="http://fonts.example/css">'),
        (".html", '<img src="a.png" srcset="b.png 1x, https://example/c.png 2x">'),
        (".html", "<style>@import 'https://fonts.example/a.css';</style>"),
        (".html", '<p style="background: url(https://example/a.png)">'),
        (".html", "<script>fetch('https://example/data')</script>"),
        (".html", '<iframe src="https://example"></iframe>'),
        (".css", '@font-face { src: url("https://fonts.example/a.woff2") }'),
        (".css", '@import "//fonts.example/a.css";'),
        (".js", "const r = await fetch(`https://example/${x}`)"),
        (".js", 'request.open("GET", "https://example/x")'),
        (".svg", '<svg><image href="https://example/a.png"/></svg>'),
    ],
)
def test_what_would_be_asked_for_is_found(suffix, text):
    assert offline.requests_in(suffix, text)


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".html", '<a href="https://example.org">a link to follow</a><img src="a.png"><script src="b.js"></script>'),
        (".html", '<svg xmlns="http://www.w3.org/2000/svg"><use href="#a"/></svg><p>fetch("https://x")</p>'),
        (".css", "/* https://example.org */ a { background: url(data:image/png;base64,AA) }"),
        (".js", '// see https://example.org\nfetch("searchindex.js")'),
    ],
)
def test_what_is_only_mentioned_is_not_taken_for_a_request(suffix, text):
    assert not offline.requests_in(suffix, text)


def test_a_notebook_is_text_and_code_and_what_the_code_gave(tmp_path):
    notebook = tmp_path / "one.py"
    notebook.write_text(
        "# %% [markdown]\n# # Title\n#\n# Words.\n\n# %%\nx = 2\nprint('<said>')\nx + 1\n\n# %%\ny = x\n"
    )
    assert [is_text for is_text, _ in gallery.cells(notebook.read_text())] == [True, False, False]
    page = gallery.page_of(notebook)
    assert page.startswith("# Title\n\nWords.\n\n```python\nx = 2")
    assert "&lt;said&gt;" in page
    assert "<pre>3</pre>" in page
    assert page.count("{raw} html") == 1


def test_notebooks_have_a_title_and_only_synthetic_people():
    assert len(NOTEBOOKS) >= 3
    for notebook in NOTEBOOKS:
        source = notebook.read_text(encoding="utf-8")
        is_text, first = next(gallery.cells(source))
        assert is_text
        assert re.match(r"# # \w", first)
        assert "synthetic" in first
        for is_text, cell in gallery.cells(source):
            assert is_text or compile(cell, notebook.name, "exec")


@pytest.mark.slow
def test_the_site_is_built_and_asks_nobody_for_anything(tmp_path):
    pytest.importorskip("sphinx", reason="the site's packages are installed by make docs")
    pytest.importorskip("furo")
    command = [sys.executable, ROOT / "docs" / "site" / "build.py", tmp_path / "site"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(offline.asked_for(tmp_path / "site"))
    front = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    for page in ("docs/tutorial", "docs/how-to/from-skmob", "docs/gallery/1-first-look", "api"):
        assert f'href="{page}.html"' in front
        assert (tmp_path / "site" / f"{page}.html").is_file()
    assert (tmp_path / "site" / "searchindex.js").stat().st_size > 100_000
    assert "shoal.Glove" in (tmp_path / "site" / "api.html").read_text(encoding="utf-8")
