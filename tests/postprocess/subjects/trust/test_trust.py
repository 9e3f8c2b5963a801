# SPDX-License-Identifier: BSD-3-Clause
"""The section on trust: grades, timeline, maps with their contour, causes and what the run can show."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.section import Source
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.answer.table import GRADES
from isochron.postprocess.subjects.trust.section import TRUSTED, View, part_map
from isochron.postprocess.subjects.trust.table import DETECTABLE, TIMELINE, TRUST, WALL_TIME

POINT = {"stack": "a", "processes": 4, "processes_per_node": 4, "placement": "packed"}


def rows(values: dict[tuple[str, int], float]) -> pd.DataFrame:
    return pd.DataFrame(
        [{**POINT, "operation": op, "bytes": size, "rse": value} for (op, size), value in values.items()]
    )


def test_the_contour_encloses_what_is_above_the_limit_and_nothing_else() -> None:
    found = part_map(
        rows({("a", 8): 0.01, ("a", 64): 0.06, ("a", 512): 0.3, ("b", 8): 0.02, ("b", 64): 0.07, ("b", 512): 0.04}),
        "rse", 0.05, "all stacks",
    )  # fmt: skip
    assert found is not None
    edges = {name: [cell.edges if cell else None for cell in cells] for name, cells in found.lines}
    assert edges == {"a": ["", "top left", "top bottom right"], "b": ["", "bottom left right", ""]}
    assert [cell.shade if cell else None for cell in found.lines[0][1]] == [0, 3, 5]
    assert part_map(rows({("a", 8): float("nan")}), "rse", 0.05, "") is None


def test_a_cell_is_the_worst_of_all_stacks_and_points_and_says_which() -> None:
    table = pd.concat([rows({("a", 8): 0.01}), rows({("a", 8): 0.02}).assign(stack="b", processes=8)])
    found = part_map(table, "rse", 0.05, "all stacks")
    assert found is not None
    (cell,) = found.lines[0][1]
    assert cell is not None and (cell.text, cell.said) == ("2.0\u202f%", "b, 8 processes, 4 per node")


@pytest.fixture
def view(demo: RunInputs, demo_analysis: Analysis) -> View:
    found = TRUSTED.build(Source(demo, demo_analysis.only([GRADES, TRUST, TIMELINE, WALL_TIME, DETECTABLE]), [], []))
    assert isinstance(found, View)
    return found


@pytest.mark.heavy
def test_every_number_stands_in_a_table(demo: RunInputs, view: View) -> None:
    tables = {name: pd.read_csv(demo.layout.tables / f"{name}.csv") for name in ("grades", "trust", "detectable")}
    assert [card.letter for card in view.grades] == tables["grades"]["grade"].tolist()
    assert view.letter == tables["grades"]["grade"].max() and view.grades[-1].meaning == "cautions among the findings"
    worst = tables["trust"].groupby(["operation", "bytes"])["rse"].max()
    for operation, cells in view.repeats[0].lines:
        known = [numbers.percent(value) for value in worst[operation]]
        assert [cell.text for cell in cells if cell] == known
    assert [row.usual for row in view.detectable] == [
        numbers.percent(ratio - 1) for ratio in tables["detectable"]["detectable_ratio"]
    ]
    assert len(view.repeats) == 1 + len(demo.campaign.stacks)


@pytest.mark.heavy
def test_the_demo_is_distrusted_where_it_was_spoilt(demo_analysis: Analysis, view: View) -> None:
    table = demo_analysis[TRUST].set_index(["stack", "operation", "processes"]).sort_index()
    assert table.loc[("openmpi-4.1", "barrier", 4), "issues"].startswith("verdict")
    assert not table.loc[("openmpi-5.0", "gather", 4), "issues"].str.contains("verdict").any()
    assert view.causes[0].meaning == "the value is not reliable"
    assert (
        view.course.startswith("99 launches in ") and "changes of the machine's regime, 29 launches in" in view.course
    )
    timeline = demo_analysis[TIMELINE]
    assert timeline.loc[timeline["regime"] == "slow", "block"].mod(3).eq(0).all()
    assert timeline["factor"].idxmax() == timeline.index[timeline["factor"] > 30][0]


@pytest.mark.heavy
def test_the_section_is_on_the_page(demo: RunInputs) -> None:
    page = demo.layout.report.read_text()
    assert '<a href="#trust">Can I trust it?</a>' in page
    section = page[page.index('<section id="trust"') :]
    section = section[: section.index("</section>")]
    for words in (
        "The run in order of time",
        "How well times repeat",
        "Known issues",
        "What the run can show",
        "overhead",
    ):
        assert words in section
    assert section.count("<figure ") == 1
    assert len(re.findall(r'<th scope="row">\d+(?: \(now\))?</th>', section)) == 5
