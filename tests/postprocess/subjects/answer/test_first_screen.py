# SPDX-License-Identifier: BSD-3-Clause
"""The first screen in a real browser, on a desk and on a phone: a planted loss is there, and nothing is cut."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator

from isochron.postprocess.__main__ import main as postprocess
from isochron.schemas.run.layout import RunLayout
from tests.browser import DESK, PHONE, needs_browser, opened
from tests.looks import measure, open_all
from tests.postprocess.synthetic import Spec, write_run

pytestmark = [pytest.mark.heavy, needs_browser]

#: Pixels that are to spare below the first finding: other fonts and longer names need them.
SPARE = 60
PLANTED = {("mpich-5.0", "alltoall", 8): 1.3, ("mpich-5.0", "alltoall", 512): 1.3}
SPEC = Spec(
    stacks=["mpich-4.3", "mpich-5.0", "openmpi-5.0"],
    operations=["bcast", "allreduce", "alltoall"],
    sizes=[8, 512, 8192, 65536],
    processes=[4],
    launches=12,
    speed={"mpich-4.3": 1.0, "mpich-5.0": 1.0, "openmpi-5.0": 0.97},
    launch_spread=0.015,
    planted=PLANTED,
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = write_run(tmp_path_factory.mktemp("planted") / "run", SPEC)
    for step in ("ingest", "analyse", "render"):
        assert postprocess([step, str(run)]) == 0
    return RunLayout(run).report


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_the_planted_loss_is_on_the_first_screen_and_nothing_is_cut(
    browser: Browser, report: Path, size: tuple[int, int]
) -> None:
    with opened(browser, report, size) as tab:
        verdict, finding, grade = (tab.page.locator(each).first for each in (".answer", ".highlight", ".grade"))
        assert "keep-baseline" in (verdict.get_attribute("class") or "").split()
        assert "alltoall" in verdict.inner_text()
        assert finding.locator("a[data-pair]").get_attribute("data-pair") == "mpich-4.3 mpich-5.0"
        text = finding.locator("p").first.inner_text()
        assert all(word in text for word in ("at least 1.2", "alltoall", "8\u202fB", "512\u202fB")), text
        assert "loss" in (finding.get_attribute("class") or "").split()
        for part in (verdict, finding, grade):
            box = part.bounding_box()
            assert box is not None and box["y"] + box["height"] <= size[1] - SPARE
        assert measure(tab)[:2] == ([], [])
        assert tab.complaints() == []


def test_folds_that_are_open_are_not_cut_on_a_phone_and_any_pair_can_be_chosen(browser: Browser, report: Path) -> None:
    """The script shows the pair that is chosen as the page shows its own: with the numbers of the table."""
    with opened(browser, report, PHONE) as tab:
        open_all(tab)
        caption = tab.page.locator("#pairs .score caption").bounding_box()
        assert caption is not None and caption["x"] + caption["width"] <= PHONE[0], "it wraps in the window"
        tab.page.locator("#choose-from").select_option("mpich-4.3")
        tab.page.locator("#choose-to").select_option("mpich-5.0")
        for part in (".heat tbody", ".forest tbody"):
            own, chosen = (tab.page.locator(f"{place} {part}").first for place in ("#answer-1-rests", "#chosen"))
            assert _joined(own) == _joined(chosen) != ""
        own_plot, chosen_plot = (
            _drawn(tab.page.locator(f"{place} .forest")) for place in ("#answer-1-rests", "#chosen")
        )
        assert own_plot == chosen_plot != []
        counts = tab.page.locator("#choose-said").inner_text().removeprefix("mpich-5.0 is ")
        assert [int(number) for number in re.findall(r"\d+", counts)[:2]] == [2, 0], counts  # slower, faster
        assert measure(tab)[:2] == ([], [])
        assert tab.complaints() == []


def test_the_script_clips_a_wide_interval_and_orders_by_what_is_shown_at_least(
    browser: Browser, report: Path, tmp_path: Path
) -> None:
    """A ratio of 3 with an interval from 0.3 to 30 comes after what is shown, and does not stretch the axis."""
    source = report.read_text()
    found = re.search(r'id="pairs-data">(.*?)</script>', source, re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    row = next(row for row in data["pairs"]["0 1"] if row[-1] != "slower")
    row[1:5] = [3.0, 0.3, 30.0, 1.0]
    changed = tmp_path / "index.html"
    changed.write_text(source.replace(found[1], json.dumps(data)))
    with opened(browser, changed, DESK) as tab:
        open_all(tab)
        tab.page.locator("#choose-from").select_option("mpich-4.3")
        tab.page.locator("#choose-to").select_option("mpich-5.0")
        plot = tab.page.locator("#chosen .forest")
        values = [float(text.rstrip("×")) for text in plot.locator("strong").all_inner_texts()]
        assert values.index(3.0) >= 2 and values[0] == pytest.approx(1.3, abs=0.1)
        assert plot.locator(".arrow").count() == 2
        assert "1 interval goes beyond" in tab.page.locator("#chosen .legend").inner_text()
        assert max(float(text) for text in plot.locator(".axis span").all_inner_texts()) < 10


def _drawn(plot: Locator) -> list[str]:
    """The marks and the axis of a forest plot."""
    paths = plot.locator("svg path").evaluate_all("all => all.map((each) => each.getAttribute('d'))")
    axis = plot.locator(".axis span").evaluate_all("all => all.map((each) => each.style.left + each.textContent)")
    return [re.sub(r"[0-9.]+", lambda number: f"{float(number[0]):g}", each) for each in [*paths, *axis]]


def _joined(part: Locator) -> str:
    """The text of a part of the page, without blanks and without what says that nothing is decided."""
    text = (part.text_content() or "").replace("(inconclusive)", "").replace("inconclusive", "")
    return "".join(text.split())
