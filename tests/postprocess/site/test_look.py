# SPDX-License-Identifier: BSD-3-Clause
"""The site in a real browser: two runs are compared from a disk under the page's own policy, and nothing is cut."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

from isochron.postprocess.estimate.history_cache.cache import Archive
from isochron.schemas.run.layout import ARCHIVE, RunLayout
from tests.bench.archived import name, slower_from
from tests.browser import DESK, PHONE, needs_browser, opened
from tests.looks import axe, measure, open_all
from tests.postprocess.site.walk import RUNS

pytestmark = needs_browser

CAMPAIGN = "campaigns/night-000"
PAGES = [
    "index.html",
    "compare.html",
    f"{CAMPAIGN}/index.html",
    f"{CAMPAIGN}/bcast.html",
    f"{CAMPAIGN}/runs/{name(slower_from(RUNS))}.html",
]


def test_two_runs_of_two_campaigns_from_a_disk(browser: Browser, made: Path, tmp_path: Path) -> None:
    site = shutil.copytree(made / "site", tmp_path / "moved site")
    runs = [("night-000", name(2)), ("night-001", name(RUNS - 1))]
    words = "&".join(f"{side}={campaign}/{run}" for side, (campaign, run) in zip("ab", runs, strict=True))
    with opened(browser, site / "compare.html", DESK, fragment=f"#{words}") as tab:
        rows = tab.page.locator("#beside tbody tr")
        rows.first.wait_for()
        cells = [row.locator("th, td").all_inner_texts() for row in rows.all()]
        assert "kernel: 6.1.0 → 6.12.0 (kernel)" in (tab.page.locator("#beside").text_content() or "")
        assert tab.complaints(beside=site.as_uri()) == []
    found = {(stack, operation, size): rest[3] for stack, operation, size, *rest in cells}
    assert len(found) == len(cells) == 6  # two stacks, a barrier and two sizes of bcast
    archives = [Archive(made / "results" / ARCHIVE, campaign) for campaign, _ in runs]
    layouts = [RunLayout(made / "results" / campaign / run) for campaign, run in runs]
    frames = [next(iter(a.values([r])))[0] for a, r in zip(archives, layouts, strict=True)]
    first, second = (frame.set_index(["stack", "operation", "bytes"])["median_us"].to_dict() for frame in frames)
    for (stack, operation, size), ratio in found.items():
        row = (stack, operation, 0 if size == "–" else int(size.split("\u202f")[0]))
        assert float(ratio.rstrip("×")) == pytest.approx(second[row] / first[row], rel=6e-3)


#: The points of the first chart of each kind, and its levels, in pixels of the chart.
DRAWN = """(kind) => {
  const host = document.querySelector(`.${kind}[data-trend*=marks][data-trend*=levels]`);
  const parts = (name) => (host.querySelector(name)?.getAttribute("d") || "").split("M").slice(1);
  const numbers = (part) => part.match(/-?[\\d.]+/g).map(Number);
  const circles = Array.from(host.querySelectorAll("circle"), (each) => [each.cx.baseVal.value, each.cy.baseVal.value]);
  const dots = parts(".dots").map((part) => numbers(part).slice(0, 2));
  return { dots: [...circles, ...dots], levels: parts(".levels").map(numbers), data: JSON.parse(host.dataset.trend) };
}"""


@pytest.mark.parametrize("kind", ["chart", "spark"])
def test_charts_show_the_values_and_levels_of_a_row(browser: Browser, made: Path, kind: str) -> None:
    """Runs from left to right, equal ratios equally far apart, and a level through its values."""
    page = made / "site" / CAMPAIGN / ("index.html" if kind == "chart" else "bcast.html")
    with opened(browser, page, DESK) as tab:
        assert tab.page.locator("[data-trend] svg").count() == tab.page.locator("[data-trend]").count() >= 3
        drawn = tab.page.evaluate(DRAWN, kind)
    (line,) = drawn["data"]["lines"]
    x, y = np.array(drawn["dots"]).T
    assert len(x) == len(line["values"]) == RUNS
    assert np.diff(x) == pytest.approx(np.full(RUNS - 1, np.diff(x).mean()), abs=0.2)
    slope, offset = np.polyfit(np.log(line["values"]), y, 1)
    assert slope < 0 and y == pytest.approx(slope * np.log(line["values"]) + offset, abs=0.2)
    for (begin, height, end), (first, after, value) in zip(drawn["levels"], line["levels"], strict=True):
        assert height == pytest.approx(slope * np.log(value) + offset, abs=0.2)
        assert begin < x[first] <= x[after - 1] < end
    assert [each[:2] for each in line["levels"]] == [[0, slower_from(RUNS)], [slower_from(RUNS), RUNS]]


@pytest.mark.slow
@pytest.mark.parametrize("size", [DESK, PHONE])
@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_cut(browser: Browser, made: Path, page: str, size: tuple[int, int]) -> None:
    with opened(browser, made / "site" / page, size) as tab:
        open_all(tab)
        assert measure(tab)[:2] == ([], [])
        assert axe(tab) == []
        assert tab.complaints(beside=(made / "site").as_uri()) == []
        assert tab.page.locator("h1").inner_text()
