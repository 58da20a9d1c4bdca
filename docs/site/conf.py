"""How Sphinx makes the site: Markdown pages, docstrings, a theme that fetches nothing."""

project = "Shoal"
author = "the authors of Shoal"
html_title = "Shoal"
root_doc = "index"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_show_search_summary = False  # would read pages by requests, which browsers refuse where there is no server
exclude_patterns = ["docs/site/**", "docs/gallery/*.py"]
myst_heading_anchors = 6
myst_enable_extensions = ["html_admonition"]
napoleon_google_docstring = False
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
nitpicky = False
pygments_style = "friendly"
pygments_dark_style = "native"
suppress_warnings = [
    "misc.highlighting_failure",  # console blocks with … in them
    "myst.xref_missing",  # links to files of the repository that are no pages: tests/test_docs_links.py looks at all
    "ref.python",  # names that two modules have
]
