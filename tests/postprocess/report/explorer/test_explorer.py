# SPDX-License-Identifier: BSD-3-Clause
"""The explorer in a real browser: its numbers are those of the tables, keys are enough, the address keeps the view."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest

from isochron.postprocess.reading.inputs import CASE, ROW, RunInputs
from isochron.postprocess.reading.store import read_table
from tests.browser import CHROMIUM
from tests.driven import Tab, driven

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.process,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium: install the package chromium"),
]

#: Views, the table that each shows, and its columns: value and interval.
VIEWS = {
    "time": ("summary.csv", ["median_us", "median_low_us", "median_high_us"], 1),
    "bandwidth": ("rates.csv", ["mb_per_s", "mb_per_s_low", "mb_per_s_high"], 1),
    "efficiency": ("rates.csv", ["weak_efficiency", "weak_efficiency_low", "weak_efficiency_high"], 100),
    "ratio": ("comparison.csv", ["ratio", "ratio_low", "ratio_high"], 1),
}
#: What the page shows: each number of the table by its name, and each mark of the figure.
SHOWN = """(() => {
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const interval = (each) => each.parentElement.querySelector(".interval")?.textContent || "";
  const cell = (each) => [each.dataset.key, [each.textContent, interval(each), each.getAttribute("aria-label")]];
  return {
    numbers: Object.fromEntries(all("#explorer-table button.value").map(cell)),
    marks: Object.fromEntries(
      all("#explorer-chart .mark").map((each) => [each.dataset.key, each.getAttribute("aria-label")])),
  };
})()"""
#: What stands beyond the window's edge, and what is written smaller than 12 px.
MEASURED = """(() => {
  const shown = Array.from(document.querySelectorAll("#explorer *")).filter((each) => each.checkVisibility());
  const has = (each) => Array.from(each.childNodes).some((node) => node.nodeType === 3 && node.data.trim());
  const box = (each) => each.getBoundingClientRect();
  const start = (each) => each.outerHTML.slice(0, 120);
  return {
    wide: document.documentElement.scrollWidth - innerWidth,
    cut: shown.filter((each) => !each.closest(".scroll, noscript"))
      .filter((each) => box(each).right > innerWidth + 1 || box(each).left < -1).map(start),
    small: shown.filter(has).filter((each) => parseFloat(getComputedStyle(each).fontSize) < 12).map(start),
  };
})()"""
CSV = "document.querySelector('#explorer-table caption .tools button').click()"


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with driven(tmp_path_factory.mktemp("browser")) as found:
        found.window(1280, 800)
        yield found
        assert found.complaints() == [], "the policy is kept, and nothing is thrown"
        assert {url.partition("#")[0].rpartition("/")[2] for url in found.requests()} == {"index.html"}


def chosen(tab: Tab, fragment: str) -> None:
    tab.evaluate(f"new Promise((done) => {{ addEventListener('hashchange', () => setTimeout(done), {{ once: true }}); "
                 f"location.hash = {json.dumps('#explorer?' + fragment)}; }})")  # fmt: skip


def expected(demo: RunInputs, view: str, operation: str) -> pd.DataFrame:
    """Lines of the tables by the names that the page has for them."""
    file, columns, _ = VIEWS[view]
    table = pd.read_csv(demo.layout.tables / file)
    table = table[table["operation"] == operation]
    if view == "ratio":
        table = table[table["baseline"] == "openmpi-5.0"].assign(stack=lambda each: each["candidate"])
    key = table[["stack", *CASE[1:]]].astype(str).agg(",".join, axis=1)
    return table.assign(key=key).set_index("key")[[*columns, "verdict"] if "verdict" in table else columns]


def read(text: str) -> tuple[float, float]:
    """A number that a page shows, and by how much it may be rounded."""
    plain = text.replace("\u202f", "")
    return float(plain), 0.5001 * 10.0 ** -len(plain.partition(".")[2])


@pytest.mark.parametrize("view", VIEWS)
def test_every_number_of_every_view_is_that_of_the_tables(demo: RunInputs, tab: Tab, view: str) -> None:
    tab.open(demo.layout.report)
    operations = demo.campaign.operations if view == "time" else ["bcast", "alltoall"]
    for operation in operations:
        chosen(tab, f"view={view}&against=openmpi-5.0&operation={operation}&processes=all&size=all")
        shown, table = tab.evaluate(SHOWN), expected(demo, view, operation)
        _, columns, times = VIEWS[view]
        names = {key for key in shown["numbers"] if key in table.index}
        assert names == set(table.index) and len(names) >= 8
        for key in names:
            line, (value, interval, label) = table.loc[key], shown["numbers"][key]
            ends = re.findall(r"[\d.\u202f]+", interval)
            for column, text in zip(columns, [value, *ends], strict=False):
                number, rounding = read(text)
                assert number == pytest.approx(times * line[column], abs=rounding), (key, column)
            assert len(ends) == (2 if line[columns[1]] != line[columns[2]] else 0)
            assert shown["marks"][key] == label and value in label and "launch" in label
        lines = pd.read_csv(tab.saved(CSV)).set_index([*CASE])
        head = columns[0] if view != "time" else "us"
        for key, line in table.iterrows():
            stack, *case = str(key).split(",")
            own = lines.loc[(operation, *map(int, case[:3]), case[3])]
            ends = [own[f"{stack}_{head}{end}"] for end in ("", "_low", "_high")]
            assert ends == line[columns].tolist(), "the file has the digits of the table"
            assert "verdict" not in line or own[f"{stack}_verdict"] == line["verdict"]


def test_a_ratio_can_be_turned_round(demo: RunInputs, tab: Tab) -> None:
    """Against the last stack of the campaign, whose pairs the table has the other way."""
    tab.open(demo.layout.report, "#explorer?view=ratio&against=mpich-5.0&operation=bcast&stacks=openmpi-5.0")
    table = expected(demo, "ratio", "bcast")
    numbers = tab.evaluate(SHOWN)["numbers"]
    assert len(numbers) == 4
    for key, (value, _, label) in numbers.items():
        line = table.loc[key.replace("openmpi-5.0", "mpich-5.0")]
        number, rounding = read(value)
        assert number == pytest.approx(1 / line["ratio"], abs=rounding)
        turned = {"slower": "faster", "faster": "slower", "inconclusive": "not decided"}.get(line["verdict"], "equal")
        assert turned in label


def test_launches_are_those_of_the_store(demo: RunInputs, tab: Tab) -> None:
    tab.open(demo.layout.report, "#explorer?operation=gather&open=mpich-4.3,512,8,4,packed")
    saved = tab.saved("document.querySelector('#explorer-strip caption .tools button').click()")
    found = pd.read_csv(saved)
    launches, rows = (read_table(demo.layout, name) for name in ("launches", "measurements"))
    own = rows.merge(launches[["launch_id", *set(ROW) - {"operation", "bytes"}, "block"]], on="launch_id")
    key = {"stack": "mpich-4.3", "operation": "gather", "bytes": 512, "processes": 8}
    own = own[(own[list(key)] == pd.Series(key)).all(axis=1)].sort_values("block")
    assert found["block"].tolist() == own["block"].tolist()
    assert found["median_us"].tolist() == pytest.approx(own["median_us"].tolist(), rel=1e-6)
    marks = tab.evaluate("document.querySelectorAll('#explorer-launches svg path').length")
    assert marks == len(own) + 1, "and one of the legend"
    median = pd.read_csv(demo.layout.tables / "summary.csv").set_index(ROW)["median_us"]
    assert found["median_us"].median() == pytest.approx(median["mpich-4.3", "gather", 512, 8, 4, "packed"], rel=1e-6)


def test_keys_are_enough_and_the_address_keeps_the_view(demo: RunInputs, tab: Tab) -> None:
    tab.open(demo.layout.report)
    focused = "(() => { const e = document.activeElement; return e.getAttribute('aria-label') || e.textContent; })()"
    tab.evaluate("document.querySelector('#explorer [data-group=view] .chip[tabindex=\"0\"]').focus()")
    tab.press("ArrowRight", " ")
    assert tab.evaluate(focused) == "Ratio"
    assert "view=ratio" in tab.evaluate("location.hash")
    stops = []
    while "mark" not in tab.evaluate("document.activeElement.getAttribute('class') || ''"):
        tab.press("Tab")
        stops.append(tab.evaluate(focused))
        assert len(stops) < 12, stops
    first = tab.evaluate(focused)
    assert tab.evaluate("document.querySelector('.tip').hidden") is False, "focus shows what hovering shows"
    tip = tab.evaluate("document.querySelector('.tip').textContent")
    assert re.search(r"×.*\[.*;.*\].*launches.*(slower|faster|equal|not decided)", tip), tip
    tab.press("ArrowRight")
    assert tab.evaluate(focused).split(",")[0] == first.split(",")[0] != tab.evaluate(focused)
    tab.press("ArrowDown")
    assert tab.evaluate(focused).split(",")[0] != first.split(",")[0]
    here = tab.evaluate(focused)
    tab.press("Enter")
    assert tab.evaluate("document.querySelectorAll('#explorer-strip svg').length") == 1
    assert tab.evaluate("document.activeElement.closest('#explorer-strip') !== null")
    fragment = tab.evaluate("location.hash")
    assert "open=" in fragment and fragment == tab.evaluate("document.querySelector('#explorer-said a').hash")
    before = tab.evaluate(SHOWN)
    tab.press("Escape")
    assert tab.evaluate(focused) == here and tab.evaluate("document.querySelector('#explorer-strip').hidden")
    tab.open(demo.layout.report, fragment)
    assert tab.evaluate(SHOWN) == before and tab.evaluate("!document.querySelector('#explorer-strip').hidden")
    box = tab.evaluate("document.querySelector('#explorer').getBoundingClientRect().top")
    assert abs(box) < 5, "a link to a view leads there"


def test_a_fragment_of_nonsense_shows_the_beginning(demo: RunInputs, tab: Tab) -> None:
    tab.open(demo.layout.report)
    usual = tab.evaluate(SHOWN)
    tab.open(demo.layout.report, "#explorer?view=x&operation=%3Cb%3E&stacks=a,b&size=-1&processes=&open=1,2&more=%E4")
    assert tab.evaluate(SHOWN) == usual


def test_the_pointer_shows_and_opens_the_nearest_mark(demo: RunInputs, tab: Tab) -> None:
    tab.open(demo.layout.report, "#explorer?operation=bcast&stacks=mpich-5.0")
    at = tab.evaluate("(() => { const mark = document.querySelector('.mark .ring'); mark.scrollIntoView({ block: 'center' }); "
                      "const b = mark.getBoundingClientRect(); return [b.x + b.width / 2 + 4, b.y + b.height / 2 + 4]; })()")  # fmt: skip
    tab.point(*at)
    label = tab.evaluate("document.querySelector('.mark').getAttribute('aria-label')")
    tip = tab.evaluate("document.querySelector('.tip').textContent")
    assert label.rpartition(": ")[2].split(", ")[0] in tip
    tab.point(*at, click=True)
    title = tab.evaluate("document.querySelector('#explorer-strip h3').textContent")
    assert title.startswith("mpich-5.0: bcast") and title.endswith("every launch")


def test_figures_and_tables_can_be_saved_and_sorted(demo: RunInputs, tab: Tab) -> None:
    tab.open(demo.layout.report)
    figures = tab.evaluate("document.querySelectorAll('main figure').length")
    assert tab.evaluate("document.querySelectorAll('main figure > .tools button').length") == 2 * figures
    tables = tab.evaluate("document.querySelectorAll('main table:not(.forest)').length")
    assert tab.evaluate("document.querySelectorAll('main table caption .tools button').length") == tables
    for name in ("#figure-1", "#explorer-figure"):
        picture = tab.saved(f"document.querySelector('{name} > .tools button').click()").read_text()
        assert ElementTree.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"
        assert "var(" not in picture and "mpich-5.0" in picture
        image = tab.saved(f"document.querySelectorAll('{name} > .tools button')[1].click()").read_bytes()
        assert image[:8] == b"\x89PNG\r\n\x1a\n" and len(image) > 10_000
    column = "Array.from(document.querySelectorAll('#times table:first-of-type tbody tr'), (row) => row.cells[3])"
    values = f"Array.from({column}, (cell) => cell.querySelector('.value').textContent)"
    before = tab.evaluate(values)
    press = "document.querySelectorAll('#times table thead th')[3].querySelector('button').click()"
    for order in (1, -1):
        tab.evaluate(press)
        wanted = sorted(order * read(each)[0] for each in before)
        assert [order * read(each)[0] for each in tab.evaluate(values)] == wanted
    tab.evaluate(press)
    assert tab.evaluate(values) == before
    table = tab.saved("document.querySelector('#times table caption .tools button').click()").read_text()
    lines = pd.read_csv(io.StringIO(table), dtype=str)
    assert [each.split(" [")[0].split()[-1] for each in lines.iloc[:, 3]] == before


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_nothing_is_cut_and_no_text_is_small(demo: RunInputs, tab: Tab, width: int, dark: bool) -> None:
    tab.window(width, 844, dark=dark)
    for view in ("ratio", "bandwidth"):
        tab.open(demo.layout.report, f"#explorer?view={view}&processes=all&open=mpich-5.0,512,8,4,packed")
        found: dict[str, Any] = tab.evaluate(MEASURED)
        assert found == {"wide": 0, "cut": [], "small": []}
    tab.window(1280, 800)


def test_without_scripts_the_figures_stay(demo: RunInputs, tab: Tab) -> None:
    tab.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        tab.open(demo.layout.report)
        assert tab.evaluate("document.querySelector('#explorer-body').checkVisibility()") is False
        assert "needs JavaScript" in tab.evaluate("document.querySelector('#explorer').innerText")
        assert tab.evaluate("document.querySelector('#figure-1 svg').getBoundingClientRect().height") > 200
    finally:
        tab.call("Emulation.setScriptExecutionDisabled", value=False)
