# SPDX-License-Identifier: BSD-3-Clause
"""A page that would be too large is several, which lead to each other."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.postprocess.report.links import INDEX, PrintedLinks
from isochron.postprocess.report.render import Sheets, parts, render
from tests.postprocess.site.walk import Page

pytestmark = pytest.mark.heavy
MOST = 400_000


@pytest.fixture(scope="module")
def sheets(demo: RunInputs) -> Sheets:
    return Sheets(demo)


@pytest.fixture(scope="module")
def pages(sheets: Sheets) -> dict[str, str]:
    return parts(sheets, most=MOST)


def test_a_small_page_stays_one(demo: RunInputs, sheets: Sheets) -> None:
    assert parts(sheets) == {INDEX: demo.layout.report.read_text()}


def test_every_link_of_a_large_page_arrives(pages: dict[str, str], tmp_path: Path) -> None:
    assert len(pages[INDEX].encode()) <= MOST
    assert len(pages) > 1
    for name, text in pages.items():
        (tmp_path / name).write_text(text)
    read = {name: Page(tmp_path / name) for name in pages}
    for name, page in read.items():
        for target in page.links:
            file, _, anchor = target.partition("#")
            if not file.startswith("../"):
                assert not anchor or anchor in read[file or name].names, (name, target)
        assert page.policy == read[INDEX].policy != ""
    moved = [name.removesuffix(".html") for name in pages if name != INDEX]
    for anchor in moved:
        assert {f"{other}.html#{other}" for other in moved if other != anchor} < set(read[f"{anchor}.html"].links)
        assert {f"#{anchor}", f"{INDEX}#answer"} < set(read[f"{anchor}.html"].links)


def test_no_part_of_a_large_page_is_lost(demo: RunInputs, pages: dict[str, str]) -> None:
    without_links = re.compile(r'href="[^"]*"')
    whole = without_links.sub("", "".join(pages.values()))
    page = without_links.sub("", demo.layout.report.read_text())
    for part in ("<tr.*?</tr>", "<figcaption>.*?</figcaption>", "<svg.*?</svg>"):
        found = set(re.findall(part, page, flags=re.DOTALL))
        assert len(found) > 5 and all(each in whole for each in found)


def test_a_large_page_on_paper_leads_nowhere_else(sheets: Sheets, tmp_path: Path) -> None:
    (tmp_path / INDEX).write_text(parts(sheets, PrintedLinks, MOST)[INDEX])
    assert {link for link in Page(tmp_path / INDEX).links if not link.startswith("#")} == set()


def test_what_an_earlier_page_needed_is_taken_away(demo: RunInputs, tmp_path: Path) -> None:
    inputs = load_inputs(shutil.copytree(demo.layout.root, tmp_path / demo.layout.run_id))
    folder = inputs.layout.report.parent
    render(inputs, MOST)
    assert len(list(folder.glob("*.html"))) > 1
    render(inputs)
    assert [path.name for path in folder.glob("*.html")] == [INDEX]
