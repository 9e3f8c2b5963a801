# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import re
import shutil
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

from isochron.postprocess.__main__ import main
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import POINT, RunInputs, load_inputs
from isochron.postprocess.kit.figure import FigureInfo
from isochron.postprocess.kit.section import Source
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.registry import files, in_page_order
from isochron.postprocess.subjects.results import section as times
from isochron.postprocess.subjects.results.table import SUMMARY
from isochron.schemas.run.layout import RunLayout
from tests.postprocess.changed import having
from tests.postprocess.reported import report
from tests.postprocess.subjects.test_findings import TWO
from tests.postprocess.synthetic import Spec, write_run

pytestmark = pytest.mark.heavy

VOID = {"meta", "br", "input", "link", "img", "hr"}


class Page(HTMLParser):
    """Elements with attributes, ids, visible text; tags that do not close are noted."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.faults: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in {"style", "script"}:
            self.texts.append(data.strip())

    def having(self, tag: str, **attributes: str) -> list[dict[str, str]]:
        return [a for t, a in self.elements if t == tag and attributes.items() <= a.items()]


@pytest.fixture(scope="module")
def source(demo: RunInputs) -> str:
    return demo.layout.report.read_text()


@pytest.fixture(scope="module")
def page(source: str) -> Page:
    return Page(source)


def rendered(spec: Spec, folder: Path) -> tuple[RunInputs, str]:
    """A run and its page without figures."""
    run = write_run(folder / "run", spec)
    report(run)
    inputs = load_inputs(run)
    return inputs, inputs.layout.report.read_text()


def test_well_formed(page: Page) -> None:
    assert page.faults == []
    assert page.open == []
    assert page.having("html", lang="en")
    assert len(page.having("main")) == 1
    headings = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(headings))


def test_self_contained(source: str, page: Page) -> None:
    for tag, attributes in page.elements:
        for name in ("src", "srcset", "data", "poster", "action"):
            assert name not in attributes, (tag, attributes)
        target = attributes.get("href", attributes.get("xlink:href", "#"))
        assert target.startswith(("#", "../")), (tag, target)
    assert not page.having("link")
    assert "@import" not in source
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", source))


def test_the_policy_allows_the_script_of_the_page_and_no_other(source: str, page: Page) -> None:
    (meta,) = page.having("meta", **{"http-equiv": "Content-Security-Policy"})
    rules = dict(rule.strip().split(" ", 1) for rule in meta["content"].split(";"))
    (script,) = re.findall(r"<script>(.*?)</script>", source, flags=re.DOTALL)
    assert "addEventListener" in script
    assert 'href="#' not in script, "pages beside this one have such links changed"
    assert rules["script-src"] == f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
    assert rules["default-src"] == "'none'"
    assert source.index("Content-Security-Policy") < source.index("<style")
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)


def test_ids_are_unique_and_every_inner_link_arrives(page: Page) -> None:
    listed = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    ids = set(listed)
    assert len(listed) == len(ids)
    for _, attributes in page.elements:
        for name in ("href", "xlink:href"):
            if attributes.get(name, "").startswith("#"):
                assert attributes[name][1:] in ids
        for name in ("aria-labelledby", "for"):
            assert set(attributes.get(name, "").split()) <= ids


def test_links_to_files_arrive(demo: RunInputs, page: Page) -> None:
    targets = [a["href"] for a in page.having("a") if a["href"].startswith("../")]
    assert {f"../tables/{name}" for name in files(demo.campaign)} <= set(targets)
    for target in targets:
        assert (demo.layout.report.parent / target).exists(), target


def test_figures_are_numbered_as_they_stand_on_the_page(source: str) -> None:
    anchors = re.findall(r'<figure id="(figure-\d+)"', source)
    assert len(anchors) > 3 and anchors == [f"figure-{number}" for number in range(1, len(anchors) + 1)]
    assert [f"figure-{number}" for number in re.findall(r"<strong>Figure (\d+)\. ", source)] == anchors


def test_figures_follow_the_sections_and_folded_ones_come_last() -> None:
    places = ("views-bxj", "views-msu", "scalability+", "scalability", "trust", "figures+", "figures")
    figures = [
        FigureInfo(file="a.svg", title=place, caption="", section=place.rstrip("+"), folded=place.endswith("+"))
        for place in places
    ]
    found = [figure.title for figure in in_page_order(figures)]
    assert found == ["figures", "figures+", "scalability", "scalability+", "trust", "views-msu", "views-bxj"]


def test_tables_can_be_reached_and_scrolled_by_keyboard(source: str, page: Page) -> None:
    regions = page.having("div", role="region", tabindex="0")
    assert len(regions) == len({region["aria-label"] for region in regions})
    assert (
        source.count("<table") - source.count('<table class="forest"')  # which fit any page
        == source.count("<caption>")
        == source.count('tabindex="0" aria-label') - source.count("<figure ")
    )
    assert page.having("a", **{"class": "skip", "href": "#main"})


def test_every_case_of_every_stack_is_there(demo: RunInputs, demo_analysis: object, source: str) -> None:
    body = source[source.index('id="all-rows"') :]
    rows = re.findall(r"<tr class=\"(?:good|bad)\">.*?</tr>", body[: body.index("</table>")])
    assert len(rows) == 210
    shown = set()
    for row in rows:
        cells = [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        shown.add((cells[0].lstrip("●■▲◆▼"), cells[1], cells[2], cells[3]))
    points = {"4 processes on one node", "8 processes, 4 per node"}
    assert shown == {
        (stack, operation, numbers.size(size) if size else "–", point)
        for stack in demo.campaign.stacks
        for operation, size in demo.cases
        for point in points
    }


def test_values_are_those_of_the_summary(demo_analysis: object, page: Page, source: str) -> None:
    summary = demo_analysis[SUMMARY]  # type: ignore[attr-defined]
    row = summary[(summary["stack"] == "intel-mpi-2021") & (summary["operation"] == "gather")].iloc[0]
    assert re.search(rf'<span class="value">{row["median_us"]:.2f}</span>', source)


def test_times_name_a_placement_that_is_not_the_usual_one(demo: RunInputs, demo_analysis: Analysis) -> None:
    moved = demo_analysis[SUMMARY].assign(placement="alternating")
    analysis = having(demo_analysis, {SUMMARY: pd.concat([demo_analysis[SUMMARY], moved])})
    tables = times.build_times(Source(demo, analysis, [], [])).tables
    keys = [row.keys[table.columns.index("Placement")] for table in tables for row in table.rows]
    assert set(keys) == {"packed", "alternating"}
    assert keys.count("packed") == keys.count("alternating")


def test_what_all_rows_of_a_table_have_stands_in_its_title(demo: RunInputs, demo_analysis: Analysis) -> None:
    """A column that says the same in each row takes room that the times need."""
    several = times.build_times(Source(demo, demo_analysis, [], [])).tables[0]
    assert several.columns[0] == "Size" and "Placement" not in several.columns
    first = demo_analysis[SUMMARY][POINT].iloc[0]
    rows = demo_analysis[SUMMARY].merge(
        first.to_frame().T.astype({"processes": int, "processes_per_node": int}), on=POINT
    )
    alone = times.build_times(Source(demo, having(demo_analysis, {SUMMARY: rows}), [], [])).tables[0]
    assert alone.columns == ["Size"] and alone.title.endswith(labels.point(first.to_dict()))


def test_an_incomplete_run_says_so_at_the_top(source: str) -> None:
    assert "Incomplete: 99 of 100 planned launches measured" in source
    assert source.index("1 of 100 planned launches is missing") < source.index('id="summary"')


def assert_made_the_same_again(run: RunLayout) -> None:
    """Every figure and the page, to the byte; a figure that is not of the run goes."""
    figures = {path.name: path.read_bytes() for path in run.figures.glob("*.svg")}
    page = run.report.read_bytes()
    (run.figures / "old.svg").write_text("<svg/>")
    assert main(["report", str(run.root)]) == 0
    assert {path.name: path.read_bytes() for path in run.figures.glob("*.svg")} == figures
    assert run.report.read_bytes() == page


def test_figures_and_page_are_deterministic_and_stale_figures_go(small: RunInputs) -> None:
    assert main(["report", str(small.layout.root)]) == 0
    assert len(list(small.layout.figures.glob("*.svg"))) > 2
    assert_made_the_same_again(small.layout)


@pytest.mark.slow
def test_those_of_the_demo_are_deterministic(demo: RunInputs, tmp_path: Path) -> None:
    assert_made_the_same_again(RunLayout(shutil.copytree(demo.layout.root, tmp_path / demo.layout.run_id)))


def test_one_stack(tmp_path: Path) -> None:
    _, text = rendered(replace(TWO, stacks=["mpich-5.0"]), tmp_path)
    assert Page(text).faults == []
    assert 'id="fastest"' not in text
    assert 'id="answer"' not in text


def test_simulated(tmp_path: Path) -> None:
    _, text = rendered(replace(TWO, simulated=True), tmp_path)
    assert text.index("All launches were simulated") < text.index('id="summary"')
    assert "at least half of its launches, and at least one (a simulator gives" in text


def test_the_contents_are_the_sections_that_there_are(source: str, page: Page) -> None:
    contents = source[source.index("<nav") : source.index("</nav>")]
    assert re.findall(r'href="#([a-z-]+)"', contents) == [each["id"] for each in page.having("section")]
    assert "at least half of its launches, and at least three, are" in source


def test_nothing_measured(tmp_path: Path) -> None:
    names = {f"b00{block}.{stack}.p4.n4.packed.1" for block in (1, 2) for stack in TWO.stacks}
    _, text = rendered(replace(TWO, launches=2, missing=frozenset(names)), tmp_path)
    assert Page(text).faults == []
    assert "Incomplete: 0 of 4" in text
    assert "nothing measured yet" in text


def test_texts_are_escaped_and_a_running_state_is_not_taken_for_incomplete(tmp_path: Path) -> None:
    inputs = load_inputs(write_run(tmp_path / "run", TWO))  # its campaign.json says "running"
    text = inputs.layout.campaign.read_text().replace("Five MPI stacks", "<script>alert(1)</script> & more")
    inputs.layout.campaign.write_text(text)
    report(inputs.layout.root)
    page = inputs.layout.report.read_text()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in page
    assert "UTC. Complete." in page
    assert "missing" not in page[page.index("<header") : page.index("</header>")]
