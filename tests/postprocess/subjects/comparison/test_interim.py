# SPDX-License-Identifier: BSD-3-Clause
"""The report in a real browser: nothing cut on a phone, no small letters, nothing that axe objects to, no word said.

Every table, figure and number is measured, and every fold opened; nothing here knows a section by its name.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from isochron.postprocess.ingest.inputs import RunInputs
from tests.browser import DESK, PHONE, needs_browser, opened
from tests.looks import axe, measure, open_all
from tests.postprocess.report.states import STATES, report, without_figures
from tests.shared import Shared

pytestmark = [pytest.mark.heavy, needs_browser]


def objections(browser: Browser, page: Path) -> list[str]:
    """All that is wrong with a page, folded and unfolded, at both widths; in both themes where all of it is shown."""
    found = []
    for size in (PHONE, DESK):
        with opened(browser, page, size) as tab:
            for state in ("folded", "unfolded"):
                if state == "unfolded":
                    open_all(tab)
                whole = (size, state) == (DESK, "unfolded")
                for theme in ("light", "dark") if whole else ("light",):
                    tab.page.emulate_media(color_scheme=theme)
                    cut, small, numbers = measure(tab)
                    assert numbers > 10
                    said = [*cut, *small, *(axe(tab) if whole else [])]
                    found += [f"{page.name} at {size[0]} px, {state}, {theme}: {each}" for each in said]
            found += tab.complaints()
    return found


def test_nothing_is_cut_or_small_or_objected_to(browser: Browser, shared: Shared) -> None:
    assert objections(browser, report(shared, "adopt")) == []


@pytest.mark.slow
@pytest.mark.parametrize("state", sorted(set(STATES) - {"adopt"}))
def test_so_it_is_in_every_state(browser: Browser, shared: Shared, state: str) -> None:
    assert objections(browser, report(shared, state)) == []


@pytest.mark.slow
def test_so_it_is_of_a_whole_campaign(browser: Browser, demo: RunInputs) -> None:
    pages = sorted(demo.layout.report.parent.glob("*.html"))
    assert [each for page in pages for each in objections(browser, page)] == []


#: Regions, all unfolded, whose content is wider than they are: the last column of a table would scroll away.
SCROLLED = """
Array.from(document.querySelectorAll(".scroll"))
  .filter((each) => each.querySelector("table") && each.checkVisibility() && each.scrollWidth > each.clientWidth + 1)
  .map((each) => `${each.getAttribute("aria-label")}: ${each.scrollWidth} of ${each.clientWidth} px`)
"""


def test_no_table_is_cut_on_a_desk_with_five_stacks(browser: Browser, shared: Shared) -> None:
    with opened(browser, without_figures(shared, "five stacks"), DESK) as tab:
        open_all(tab)
        assert tab.evaluate('document.querySelectorAll(".scroll table").length') > 5
        assert tab.evaluate(SCROLLED) == []
        tab.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        assert tab.evaluate(SCROLLED) != [], "a phone has to scroll"


def test_what_is_wrong_is_seen(browser: Browser, tmp_path: Path) -> None:
    """The measurements themselves: a page with each fault has all of them found."""
    page = tmp_path / "wrong.html"
    page.write_text(
        "<!DOCTYPE html><html lang=en><head><meta name=viewport content='width=device-width'><title>x</title>"
        "<link rel=icon href='data:,'></head><body><main><h1>x</h1><p style='white-space:nowrap;width:2000px'>"
        + "1234 "
        * 80
        + "</p><div style='overflow:hidden;width:40px'><span style='white-space:nowrap'>99999 99999</span></div>"
        "<p style='font-size:9px'>small</p><div style='overflow-x:auto'><b style='position:relative;left:-99px'>77</b>"
        "</div><img src='data:,'><img alt='x' src='https://example.org/asked.png'>"
        "<script>console.log('said'); missing();</script></main></body></html>"
    )
    with opened(browser, page, PHONE) as tab:
        cut, small, _ = measure(tab)
        objected, complaints = axe(tab), "\n".join(tab.complaints())
    said = "\n".join(cut)
    assert "is cut by div" in said and "cannot be scrolled to" in said and "wider than the window" in said
    assert any(each.startswith("div. is cut:") for each in cut)
    assert [each.split(":")[0] for each in small] == ["9.0 px"]
    assert any(each.startswith("image-alt") for each in objected)
    assert "log: said" in complaints and "missing is not defined" in complaints
    assert "request: https://example.org/asked.png" in complaints and "ERR_" in complaints
