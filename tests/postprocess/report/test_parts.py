# SPDX-License-Identifier: BSD-3-Clause
"""A page that would be too large is several, which lead to each other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from isochron.postprocess.reading.inputs import RunInputs
from isochron.postprocess.report import parts as module
from isochron.postprocess.report.parts import INDEX, parts
from isochron.postprocess.report.render import render


def links(text: str) -> set[str]:
    return {target for target in re.findall(r'<a [^>]*href="([^"]+)"', text) if not target.startswith("../")}


@pytest.fixture(scope="module")
def page(demo: RunInputs) -> str:
    return demo.layout.report.read_text()


def test_a_small_page_stays_one(page: str) -> None:
    assert parts(page) == {INDEX: page}


def test_no_part_of_a_large_page_is_lost_and_every_link_arrives(page: str) -> None:
    files = parts(page, 400_000)
    assert len(files[INDEX].encode()) <= 400_000
    assert len(files) > 1
    for file, text in files.items():
        for target in links(text):
            name, _, anchor = target.partition("#")
            there = files[name or file]
            assert not anchor or f'id="{anchor}"' in there, (file, target)
        assert text.count("<main") == text.count("</main>") == 1
        assert "Content-Security-Policy" in text
    whole = "".join(files.values())
    for row in set(re.findall(r"<tr.*?</tr>", page, flags=re.DOTALL)):
        assert re.sub(r'href="[^"]*"', "", row) in re.sub(r'href="[^"]*"', "", whole)
    assert all(title in whole for title in re.findall(r"<figcaption>.*?</figcaption>", page))


def test_what_an_earlier_page_needed_is_taken_away(demo: RunInputs, monkeypatch: pytest.MonkeyPatch) -> None:
    folder: Path = demo.layout.report.parent
    monkeypatch.setattr(module.parts, "__defaults__", (400_000,))
    render(demo)
    assert len(list(folder.glob("*.html"))) > 1
    monkeypatch.undo()
    render(demo)
    assert [path.name for path in folder.glob("*.html")] == [INDEX]
