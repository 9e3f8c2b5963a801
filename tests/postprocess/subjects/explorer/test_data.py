# SPDX-License-Identifier: BSD-3-Clause
"""The explorer's data: the numbers of the tables, and what is left out where there is no room."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from isochron.postprocess.estimate.compare.interference import both_ratios
from isochron.postprocess.ingest.inputs import CASE, RunInputs, load_inputs
from isochron.postprocess.kit.section import Source
from isochron.postprocess.kit.table import Analysis, SavedFrame, TableContext
from isochron.postprocess.subjects.comparison.table import COMPARISON
from isochron.postprocess.subjects.explorer.data import ONE_GROUP, Content, fitted
from isochron.postprocess.subjects.explorer.section import EXPLORER, build
from isochron.postprocess.subjects.explorer.table import LAUNCH_TIMES, RATES
from isochron.postprocess.subjects.results.table import SUMMARY
from isochron.schemas.run.next_blocks import Flagged
from tests.postprocess.reported import report
from tests.postprocess.synthetic import Spec, write_run

#: One stack, with its results, two contrasts in groups, and one without.
GROUPED = Spec(
    stacks=["mpich-5.0"], operations=["allreduce"], sizes=[1024], processes=[4], launches=3, runs=4, probes=False,
    contrasts={
        "halves": ({"groups": "halves"}, 0.5), "cold-halves": ({"groups": "halves", "buffers": "cold"}, 2.0),
        "cold": ({"buffers": "cold"}, 3.0),
    },
)  # fmt: skip


@pytest.fixture
def content(demo: RunInputs, demo_analysis: Analysis) -> Content:
    source = Source(demo, demo_analysis, [], [])
    frames = (demo_analysis[each].assign(groups=ONE_GROUP) for each in (SUMMARY, RATES, COMPARISON, LAUNCH_TIMES))
    return Content(list(source.marks.values()), "openmpi-4.1", *frames, 0.05)


def of(data: dict[str, Any], line: pd.Series[Any]) -> list[Any]:
    """The numbers of a row of the summary."""
    points = [each[:3] for each in data["points"]]
    case = [line["operation"], line["bytes"], points.index([line[name] for name in CASE[2:]])]
    stack = [each[0] for each in data["stacks"]].index(line["stack"])
    found: list[Any] = data["rows"][f"{stack} {data['cases'].index(case)}"]
    return found


def test_numbers_are_those_of_the_tables(demo: RunInputs, demo_analysis: Analysis) -> None:
    view = build(Source(demo, demo_analysis, [], []))
    assert view is not None and view.left_out == []
    data, summary = json.loads(view.data), pd.read_csv(demo.layout.tables / SUMMARY.file)
    assert len(data["rows"]) == len(summary)
    assert len(data["pairs"]) == len(demo_analysis[COMPARISON])
    for _, line in summary.iterrows():
        assert of(data, line)[:3] == [line["median_us"], line["median_low_us"], line["median_high_us"]]
        assert data["verdicts"][of(data, line)[11]][0] == line["verdict"]
    assert sum(map(len, data["launches"].values())) == len(demo_analysis[LAUNCH_TIMES])


def test_a_reason_with_a_direction_is_there_for_both(content: Content) -> None:
    """Of a pair turned round the page shows the ratios of the other stack; any other reason is there once."""
    ratios = {"ratio": 1.25, "ratio_low": 1.2, "ratio_high": 1.3, "verdict": "depends"}
    regimes = {"quiet_ratio": 1.25, "quiet_low": 1.2, "quiet_high": 1.25, "regime": "quiet", "by_regime": "differs"}
    regimes |= {"disturbed_ratio": 0.8, "disturbed_low": 0.5, "disturbed_high": 1.0}
    table = content.comparison.head(2).assign(**ratios, **regimes)
    table["reason"] = [both_ratios(table)[0], "a: unstable"]
    data = json.loads(fitted(replace(content, comparison=table))[0])
    assert [data["verdicts"][numbers[-1]] for numbers in data["pairs"].values()] == [
        [
            "depends",
            "1.25 [1.20; 1.25] in the quiet regime, 0.80 [0.50; 1.00] in the disturbed one",
            "0.80 [0.80; 0.83] in the quiet regime, 1.25 [1.00; 2.00] in the disturbed one",
        ],
        ["depends", "a: unstable"],
    ]


def test_launches_of_the_steadiest_rows_are_left_out_first(content: Content) -> None:
    whole, _ = fitted(content)
    text, said = fitted(content, len(whole.encode()) - 20_000)
    data = json.loads(text)
    assert len(text.encode()) <= len(whole.encode()) - 20_000
    assert len(data["rows"]) == len(content.summary) and len(data["pairs"]) == len(content.comparison)
    (note,) = said
    assert note == f"Single launches are here for the {len(data['launches'])} of 210 rows whose launches differ most."
    steadiest = content.summary.sort_values("rse").iloc[0]
    widest = content.summary.sort_values("rse").iloc[-1]
    names = {key: of(data, line) for key, line in (("steady", steadiest), ("wide", widest))}
    there = [data["rows"][key] for key in data["launches"]]
    assert names["wide"] in there and names["steady"] not in there


@pytest.mark.parametrize("most", [30_000, 12_000, 5_000])
def test_what_is_left_out_is_said_and_the_ends_stay(content: Content, most: int) -> None:
    asked = content.comparison.assign(family="exploratory")
    asked.loc[asked["baseline"] == "openmpi-4.1", "family"] = "question"
    small = Content(**{**vars(content), "comparison": asked})
    text, said = fitted(small, most)
    data = json.loads(text)
    assert len(text.encode()) <= most
    assert said[0].startswith("Only the pairs of stacks that the campaign asks about")
    assert data["pairs"] and all(key.startswith("1 ") for key in data["pairs"])
    sizes = [size for size, _ in data["sizes"] if size]
    assert (sizes[0], sizes[-1]) == (8, 65536)
    assert (len(sizes) == 4) != any("of 5 message sizes" in each for each in said)
    known = {" ".join(key.split()) for key in data["rows"]}
    assert set(data["launches"]) <= known


def test_json_cannot_end_its_element(content: Content) -> None:
    marks = [type(mark)("</script><b>", mark.glyph, mark.series) for mark in content.stacks]
    names = {mark.name: other.name for mark, other in zip(content.stacks[:1], marks[:1], strict=True)}
    frames = {name: getattr(content, name).replace(names) for name in ("summary", "rates", "comparison", "launches")}
    stacks = [marks[0], *content.stacks[1:]]
    text, _ = fitted(Content(**{**vars(content), **frames, "stacks": stacks}))
    assert "<" not in text and json.loads(text)["stacks"][0][0] == "</script><b>"


def test_groups_of_processes_are_chosen_as_placements_are(tmp_path: Path) -> None:
    """Halves take half as long, cold halves twice as long; a contrast without groups is not in the explorer."""
    run = write_run(tmp_path / "run", GROUPED)
    report(run, steps=("ingest",))
    context = TableContext(load_inputs(run))
    frames = {table.name: table.make(context) for table in EXPLORER.needs if isinstance(table, SavedFrame)}
    view = build(Source(context.inputs, Analysis(context.launches, Flagged(rows=[], points=[]), frames), [], []))
    assert view is not None
    data = json.loads(view.data)
    (processes, per_node, placement, first, label), *others = data["points"]
    assert (processes, per_node, placement, first, label) == (4, 4, "packed", "one group", "4 processes on one node")
    assert [point[3:] for point in others] == [
        [name, f"4 processes on one node, {name}"] for name in ("cold-halves", "halves")
    ]
    times = {data["points"][data["cases"][int(key.split()[1])][2]][3]: row[0] for key, row in data["rows"].items()}
    assert times["halves"] / times["one group"] == pytest.approx(0.5, rel=0.2)
    assert times["cold-halves"] / times["one group"] == pytest.approx(2.0, rel=0.2)
    assert [len(launches) for launches in data["launches"].values()] == [3, 3, 3]
    rates = {data["points"][data["cases"][int(key.split()[1])][2]][3]: row[3] for key, row in data["rows"].items()}
    assert rates["halves"] == pytest.approx(1024 / times["halves"], rel=1e-6)
