# SPDX-License-Identifier: BSD-3-Clause
"""The documentation as a site: `make docs`. The pages stay where they are; the README is the first one.

The folder of the sources is the repository itself, so that links between pages are the same here and there. Nothing is
fetched when a page is opened: fonts are those of the reader, scripts and styles lie beside the pages.
"""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

from diagram import drawn  # noqa: E402 - it lies beside this file

project = "Isochron"
author = "the Isochron developers"
release = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "README"
#: The page that lists all others, by group: the contents of the site.
LIST = "docs/README"
#: Pages that it does not list.
ABOUT = ["CONTRIBUTING", "SECURITY", "CODE_OF_CONDUCT", "CHANGELOG"]
include_patterns = ["README.md", *(f"{name}.md" for name in ABOUT), "docs/**"]
exclude_patterns = [".cache", ".git", ".venv", "build", "results", "tests"]
myst_heading_anchors = 4
# An example may leave out what its language wants, or have a word in <> for the reader's own.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
pygments_style, pygments_dark_style = "a11y-high-contrast-light", "a11y-high-contrast-dark"
html_title = "Isochron"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options: dict[str, Any] = {"footer_icons": []}

#: Leads to the README, which keeps its name.
FIRST = """<!DOCTYPE html>
<html lang="en"><title>Isochron</title><meta http-equiv="refresh" content="0; url=README.html">
<a href="README.html">Isochron</a></html>
"""
LISTED = re.compile(r"^- \*\*(.+?)\*\*: (.*?)(?=^- \*\*|^\n|\Z)", flags=re.MULTILINE | re.DOTALL)
#: Code and tables: they may be wider than the page.
WIDE = re.compile(r'<pre(?=>)|<div class="table-wrapper[^"]*"')
MERMAID = re.compile(r"```mermaid\n(.*?)```", flags=re.DOTALL)


def contents(listing: str) -> str:
    """Return the contents of the site from the page that lists all pages: one group for each line of its list."""
    groups = [
        (name, [f"docs/{page}" for page in re.findall(r"\]\(([^)#]+)\.md\)", text)])
        for name, text in LISTED.findall(listing.partition("## Documentation")[2])
    ]
    if not groups:
        raise ValueError(f"{LIST}.md: no list of pages under 'Documentation'")
    return "".join(
        "\n".join(["\n```{toctree}", ":hidden:", f":caption: {name}", "", *pages, "```", ""])
        for name, pages in [*groups, ("About", [LIST, *ABOUT])]
    )


def _read(app: Any, name: str, source: list[str]) -> None:
    source[0] = MERMAID.sub(lambda match: drawn(match[1]), source[0])
    if name == root_doc:
        source[0] += contents((Path(app.srcdir) / f"{LIST}.md").read_text(encoding="utf-8"))


def _reachable(_app: Any, _page: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    """What may be wider than the page can be reached, and so scrolled, by keyboard; captions say their level."""
    tree = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')
    if "body" in context:
        context["body"] = WIDE.sub(r'\g<0> tabindex="0"', context["body"])


def _finish(app: Any, error: Exception | None) -> None:
    """The first page; and the theme's two asides are told apart by name."""
    if error is None:
        for page in Path(app.outdir).rglob("*.html"):
            text = page.read_text(encoding="utf-8")
            named = text.replace('<aside class="sidebar-drawer">', '<aside class="sidebar-drawer" aria-label="Pages">')
            page.write_text(named, encoding="utf-8")
        (Path(app.outdir) / "index.html").write_text(FIRST, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Return what Sphinx calls."""
    app.connect("source-read", _read)
    app.connect("html-page-context", _reachable, priority=900)  # after the theme has made its tree
    app.connect("build-finished", _finish)
    return {"parallel_read_safe": True}
