# SPDX-License-Identifier: BSD-3-Clause
"""The documentation as a site: made without a warning, whole without a network, and for every reader."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import DESK, PHONE, needs_browser, opened
from tests.documents.pages import PAGES, ROOT
from tests.looks import axe
from tests.shared import Shared

pytestmark = [pytest.mark.slow, pytest.mark.process]

#: Pages that are looked at in a browser: of each kind one.
LOOKED_AT = ("README", "docs/how-to/decide-an-upgrade", "docs/how-to/read-the-report", "docs/faq", "docs/architecture",
             "docs/reference/cost", "docs/reference/glossary", "docs/reference/cli", "docs/validation")  # fmt: skip


def build(source: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--quiet", "-c", str(ROOT / "scripts" / "site")]
    return subprocess.run([*command, str(source), str(folder)], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(shared: Shared) -> Path:
    def make(folder: Path) -> None:
        done = build(ROOT, folder / "site")
        assert done.returncode == 0, done.stderr

    return shared("site", make) / "site"


def test_every_page_is_there_and_in_the_contents(site: Path) -> None:
    first = (site / "README.html").read_text()
    for page in PAGES:
        name = page.relative_to(ROOT).with_suffix(".html").as_posix()
        assert (site / name).is_file(), name
        assert f'href="{name}"' in first or name == "README.html", name
    assert "README.html" in (site / "index.html").read_text()
    assert "mermaid" not in (site / "docs/architecture.html").read_text()
    assert "<rect" in (site / "docs/architecture.html").read_text()


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    loads = re.compile(r'<(?:script|img|iframe|video)[^>]*\ssrc="(?:https?:)?//|<link[^>]*\shref="(?:https?:)?//')
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    assert [page.name for page in pages if loads.search(page.read_text())] == []
    imports = re.compile(r"(@import|url\()\s*[\"']?(https?:)?//")
    assert [path.name for path in site.rglob("*.css") if imports.search(path.read_text())] == []


@needs_browser
def test_pages_are_for_every_reader(browser: Browser, site: Path) -> None:
    """Nothing that axe objects to, light and dark; no error, and no request but for what lies beside the page."""
    found = []
    for name in LOOKED_AT:
        page = site / f"{name}.html"
        for theme in ("light", "dark"):
            with opened(browser, page, DESK, color_scheme=theme) as tab:
                said = [*axe(tab), *tab.complaints(beside=site.resolve().as_uri())]
                found += [f"{name}, {theme}: {each}" for each in said]
        with opened(browser, page, PHONE) as tab:
            wide = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, f"{name} is {wide} px wider than a phone"
    assert found == []


def test_a_broken_link_fails(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Home\n\n[nowhere](docs/none.md) [no place](docs/page.md#none)\n\nEnd.\n")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "README.md").write_text("# All\n\n## Documentation\n\n- **Pages**: [a](page.md)\n")
    (tmp_path / "docs" / "page.md").write_text("# Page\n")
    for name in ("CONTRIBUTING", "SECURITY", "CODE_OF_CONDUCT", "CHANGELOG"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n")
    done = build(tmp_path, tmp_path / "site")
    assert done.returncode != 0
    assert "'docs/none.md'" in done.stderr and "local id not found in doc 'docs/page': 'none'" in done.stderr
