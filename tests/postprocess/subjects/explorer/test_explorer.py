# SPDX-License-Identifier: BSD-3-Clause
"""The explorer in a real browser: its numbers are those of the tables, keys are enough, the address keeps the view."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest
from playwright.sync_api import Browser

from isochron.postprocess.__main__ import main
from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import CASE, RESULT_KEY, RunInputs
from isochron.postprocess.ingest.store import read_table
from isochron.postprocess.report.render import standalone
from isochron.postprocess.subjects.jobs.table import JOBS
from tests.browser import DESK, PHONE, Tab, needs_browser, opened
from tests.looks import axe, measure
from tests.postprocess.reported import report
from tests.postprocess.subjects.explorer.test_data import GROUPED
from tests.postprocess.subjects.jobs.test_jobs import named
from tests.postprocess.synthetic import write_run

pytestmark = [pytest.mark.heavy, needs_browser]

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
#: Where the first mark of the figure is, nearly.
PLACE = """(() => {
  const mark = document.querySelector(".mark .ring");
  mark.scrollIntoView({ block: "center" });
  const box = mark.getBoundingClientRect();
  return [box.x + box.width / 2 + 4, box.y + box.height / 2 + 4];
})()"""
CSV = "document.querySelector('#explorer-table caption .tools button').click()"


@pytest.fixture(scope="module")
def tab(browser: Browser, demo: RunInputs) -> Iterator[Tab]:
    with opened(browser, demo.layout.report, DESK) as found:
        yield found
        assert found.complaints() == [], "the policy is kept, nothing is thrown and nothing asked for"


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
    tab.load()
    operations = demo.campaign.operations if view == "time" else ["bcast", "alltoall"]
    for operation in operations:
        chosen(tab, f"view={view}&against=openmpi-5.0&operation={operation}&processes=all&size=all")
        shown, table = tab.evaluate(SHOWN), expected(demo, view, operation)
        _, columns, times = VIEWS[view]
        names = {key for key in shown["numbers"] if key in table.index}
        assert names == set(table.index) and len(names) >= 8
        for key in names:
            line, (value, interval, label) = table.loc[key], shown["numbers"][key]
            if pd.isna(line[columns[0]]):
                assert value == "–" and key not in shown["marks"]
                continue
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
            assert ends == pytest.approx(line[columns].tolist(), rel=0, abs=0, nan_ok=True), "digit by digit"
            assert "verdict" not in line or own[f"{stack}_verdict"] == line["verdict"]


def test_a_ratio_can_be_turned_round(demo: RunInputs, tab: Tab) -> None:
    """Against the last stack of the campaign, whose pairs the table has the other way."""
    tab.load("#explorer?view=ratio&against=mpich-5.0&operation=bcast&stacks=openmpi-5.0")
    table = expected(demo, "ratio", "bcast")
    numbers = tab.evaluate(SHOWN)["numbers"]
    assert len(numbers) == 4
    for key, (value, _, label) in numbers.items():
        line = table.loc[key.replace("openmpi-5.0", "mpich-5.0")]
        number, rounding = read(value)
        assert number == pytest.approx(1 / line["ratio"], abs=rounding)
        turned = {"slower": "faster", "faster": "slower"}.get(line["verdict"], line["verdict"])
        assert turned in label


#: What a pair says both ways round, if its reason is another one for each.
BOTH_WAYS = """(() => {
  const element = document.getElementById("explorer-data"), data = JSON.parse(element.textContent);
  const [key, numbers] = Object.entries(data.pairs)[0], [one, other, place] = key.split(" ").map(Number);
  numbers[3] = data.verdicts.push(["not-slower", "of the candidate", "of the baseline"]) - 1;
  element.textContent = JSON.stringify(data);
  const model = explorerData.load(), names = data.stacks.map((stack) => stack[0]);
  const said = (stack, against) => model.number("ratio", names[stack], place, names[against]).said;
  return [said(other, one).slice(0, 2), said(one, other)];
})()"""


def test_a_reason_is_turned_round_with_its_pair(tab: Tab) -> None:
    tab.load("")
    assert tab.evaluate(BOTH_WAYS) == [["not-slower", "of the candidate"], ["not-faster", "of the baseline"]]


def test_launches_are_those_of_the_store(demo: RunInputs, tab: Tab) -> None:
    tab.load("#explorer?operation=gather&open=mpich-4.3,512,8,4,packed")
    saved = tab.saved("document.querySelector('#explorer-strip caption .tools button').click()")
    found = pd.read_csv(saved)
    launches, rows = (read_table(demo.layout, name) for name in ("launches", "measurements"))
    own = rows.merge(launches[["launch_id", *set(RESULT_KEY) - {"operation", "bytes"}, "block"]], on="launch_id")
    key = {"stack": "mpich-4.3", "operation": "gather", "bytes": 512, "processes": 8}
    own = own[(own[list(key)] == pd.Series(key)).all(axis=1)].sort_values("block")
    assert found["block"].tolist() == own["block"].tolist()
    assert found["median_us"].tolist() == pytest.approx(own["median_us"].tolist(), rel=1e-6)
    marks = tab.evaluate("document.querySelectorAll('#explorer-launches svg path').length")
    assert marks == len(own) + 1, "and one of the legend"
    median = pd.read_csv(demo.layout.tables / "summary.csv").set_index(RESULT_KEY)["median_us"]
    assert found["median_us"].median() == pytest.approx(median["mpich-4.3", "gather", 512, 8, 4, "packed"], rel=1e-6)


def test_keys_are_enough_and_the_address_keeps_the_view(demo: RunInputs, tab: Tab) -> None:
    tab.load()
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
    assert re.search(r"×.*\[.*;.*\].*launches.*(slower|faster|equivalent|inconclusive)", tip), tip
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
    tab.load(fragment)
    assert tab.evaluate(SHOWN) == before and tab.evaluate("!document.querySelector('#explorer-strip').hidden")
    box = tab.evaluate("document.querySelector('#explorer').getBoundingClientRect().top")
    assert abs(box) < 5, "a link to a view leads there"


def test_a_fragment_of_nonsense_shows_the_beginning(demo: RunInputs, tab: Tab) -> None:
    tab.load()
    usual = tab.evaluate(SHOWN)
    tab.load("#explorer?view=x&operation=%3Cb%3E&stacks=a,b&size=-1&processes=&open=1,2&more=%E4")
    assert tab.evaluate(SHOWN) == usual


def test_the_pointer_shows_and_opens_the_nearest_mark(demo: RunInputs, tab: Tab) -> None:
    tab.load("#explorer?operation=bcast&stacks=mpich-5.0")
    at = tab.evaluate(PLACE)
    tab.page.mouse.move(*at)
    label = tab.evaluate("document.querySelector('.mark').getAttribute('aria-label')")
    tip = tab.evaluate("document.querySelector('.tip').textContent")
    assert label.rpartition(": ")[2].split(", ")[0] in tip
    tab.page.mouse.click(*at)
    title = tab.evaluate("document.querySelector('#explorer-strip h3').textContent")
    assert title.startswith("mpich-5.0: bcast") and title.endswith("every launch")


def test_figures_and_tables_can_be_saved_and_sorted(demo: RunInputs, tab: Tab) -> None:
    tab.load()
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
    table = "document.querySelectorAll('#times table')[1]"
    values = f"Array.from({table}.tBodies[0].rows, (row) => row.cells[3].querySelector('.value').textContent)"
    before = tab.evaluate(values)
    press = f"{table}.querySelectorAll('thead th')[3].querySelector('button').click()"
    for order in (1, -1):
        tab.evaluate(press)
        wanted = sorted(order * read(each)[0] for each in before)
        assert [order * read(each)[0] for each in tab.evaluate(values)] == wanted
    tab.evaluate(press)
    assert tab.evaluate(values) == before
    lines = pd.read_csv(tab.saved(f"{table}.caption.querySelector('.tools button').click()"), dtype=str)
    assert [each.split(" [")[0].split()[-1] for each in lines.iloc[:, 3]] == before


def test_no_cell_of_a_saved_table_is_a_formula(tab: Tab) -> None:
    table = "document.querySelectorAll('#times table')[1]"
    cells = ["=1+1", "-2+3", "-1.5", "@a", "'+a"]
    for row, text in enumerate(cells):
        tab.evaluate(f"{table}.tBodies[0].rows[{row}].cells[0].textContent = {json.dumps(text)}")
    lines = pd.read_csv(tab.saved(f"{table}.caption.querySelector('.tools button').click()"), dtype=str)
    tab.load("")
    assert lines.iloc[: len(cells), 0].tolist() == ["'=1+1", "'-2+3", "-1.5", "'@a", "''+a"]


@pytest.mark.slow
@pytest.mark.parametrize("size", [DESK, PHONE])
def test_views_are_not_cut_nor_small_and_axe_has_no_objection(
    browser: Browser, demo: RunInputs, size: tuple[int, int]
) -> None:
    """The page as it begins is looked at by test_looks."""
    with opened(browser, demo.layout.report, size) as tab:
        for view in ("ratio", "efficiency"):
            tab.load(f"#explorer?view={view}&processes=all&open=mpich-5.0,512,8,4,packed")
            cut, small, numbers = measure(tab)
            assert (cut, small) == ([], []) and numbers > 100
        assert [each for each in axe(tab) if "explorer" in each] == []


def test_without_scripts_the_figures_stay(browser: Browser, demo: RunInputs) -> None:
    with opened(browser, demo.layout.report, DESK, java_script_enabled=False) as tab:
        assert not tab.page.locator("#explorer-body").is_visible()
        assert tab.page.locator("#explorer noscript p").is_visible()
        box = tab.page.locator("#figure-1 svg").bounding_box()
        assert box is not None and box["height"] > 200


def test_a_report_in_a_mail_leads_to_the_tables_that_it_holds(
    browser: Browser, demo: RunInputs, tmp_path: Path
) -> None:
    """Links that the script makes, too."""
    (tmp_path / "mailed.html").write_text(standalone(demo))
    with opened(browser, tmp_path / "mailed.html", DESK) as tab:
        made = tab.page.locator("#explorer-table caption a.file")
        assert made.inner_text() == "summary.csv"
        held = tab.page.locator(made.get_attribute("href") or "")
        assert held.get_attribute("download") == "summary.csv"
        assert tab.complaints() == []


def test_groups_of_processes_are_a_choice(browser: Browser, tmp_path: Path) -> None:
    """The page begins with one group; `All` and a single grouping are chosen by the address."""
    run = write_run(tmp_path / "run", GROUPED)
    report(run, "none")
    with opened(browser, run / "report" / "index.html", DESK) as tab:
        key = "mpich-5.0,1024,4,4,packed"
        assert list(tab.evaluate(SHOWN)["marks"]) == [key]
        chosen(tab, "groups=halves")
        shown = tab.evaluate(SHOWN)
        assert list(shown["marks"]) == list(shown["numbers"]) == [f"{key},halves"]
        assert ", 4 processes on one node, halves: " in shown["marks"][f"{key},halves"]
        chosen(tab, "groups=all")
        assert len(tab.evaluate(SHOWN)["marks"]) == 3
        chips = tab.evaluate(
            "Array.from(document.querySelectorAll('[data-group=groups] .chip')).map((e) => e.textContent)"
        )
        assert chips == ["All", "one group", "cold-halves", "halves"]
        assert tab.complaints() == []


def test_of_several_jobs_a_value_has_the_forecast_of_another(browser: Browser, small: RunInputs) -> None:
    named(small, 2)
    for verb in ("analyse", "render"):
        assert main([verb, str(small.layout.root)]) == 0
    times = pd.read_csv(small.layout.tables / JOBS.file)
    keys = times[["stack", *CASE[1:]]].astype(str).agg(",".join, axis=1)
    of_one = times.assign(key=keys)[times["operation"] == times["operation"][0]].set_index("key")
    with opened(browser, small.layout.report, DESK) as page:
        chosen(page, f"view=time&operation={times['operation'][0]}&processes=all&size=all")
        shown = page.evaluate(SHOWN)
        for key, line in of_one.iterrows():
            ends = f"[{numbers.significant(line['next_low_us'])}; {numbers.significant(line['next_high_us'])}]"
            label = shown["numbers"][key][2]
            assert f", another job {ends}, " in label and shown["marks"][key] == label
        chosen(page, "view=ratio")
        ratios = [label for _, _, label in page.evaluate(SHOWN)["numbers"].values()]
        assert ratios and all("another job [" in label for label in ratios)
        chosen(page, "view=bandwidth")
        assert "another job" not in str(page.evaluate(SHOWN)["numbers"])
