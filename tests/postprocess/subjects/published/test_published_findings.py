# SPDX-License-Identifier: BSD-3-Clause
"""Published findings from the table to the report: of a synthetic run, and of lines made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from isochron.postprocess.ingest.inputs import load_inputs
from isochron.postprocess.kit.finding import FINDINGS, Findings
from isochron.postprocess.kit.section import Source
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.published.finding import published
from isochron.postprocess.subjects.published.section import build
from isochron.postprocess.subjects.published.table import FINDING_COLUMNS, PUBLISHED, repeated
from isochron.schemas.run.next_blocks import Flagged
from tests.postprocess.reported import report
from tests.postprocess.synthetic import Spec, campaign_of, write_run

LISTS = {
    "one-site": ["a1", "a2", "a3", "a4"],
    "half-and-half": ["a1", "a2", "b1", "b2"],
    "alternating": ["a1", "b1", "a2", "b2"],
    "one-remote": ["b1", "a1", "a2", "a3"],
}
#: µs by order; a reduce takes the same in each.
TIMES = {"one-site": 100.0, "half-and-half": 2700.0, "alternating": 5200.0, "one-remote": 2650.0}
SPEC = Spec(
    stacks=["mpich-5.0"], operations=["bcast", "reduce"], sizes=[1024], processes=[4], processes_per_node=[1],
    launches=1, runs=8, launch_spread=0.0, run_spread=0.0, simulated=True, node_lists=LISTS,
    analysis={"views": ["two-sites"]},
    truth=lambda operation, _, point: (
        2700.0 if operation == "reduce" else TIMES[point.placement]
    ),
)  # fmt: skip


@pytest.mark.heavy
def test_a_report_sets_sentences_beside_what_it_has(tmp_path: Path) -> None:
    inputs = load_inputs(write_run(tmp_path / "run", SPEC))
    report(inputs.layout.root, "no figure")
    table = pd.read_csv(inputs.layout.tables / "published-findings.csv", dtype={"bytes": str})
    outcomes = table.set_index(["sentence", "operation"])["outcome"]
    assert outcomes["order"].to_dict() == {"bcast": "agrees", "reduce": "differs"}
    ordered = table[(table["sentence"] == "order") & (table["operation"] == "bcast")].iloc[0]
    assert ordered["value"] == pytest.approx(52, rel=0.01) and ordered["unit"] == "×"
    assert ordered[["stack", "bytes", "processes"]].tolist() == ["mpich-5.0", "1024", 4]
    assert "alternating 5.20 ms" in ordered["here"] and "one-site 100 µs" in ordered["here"]
    assert set(table.loc[table["sentence"] != "order", "outcome"]) == {"not measured"}
    (finding,) = [
        finding for finding in Findings.load(inputs.layout.tables / FINDINGS).findings
        if finding.kind == "published-findings"
    ]  # fmt: skip
    assert finding.numbers["sentences"] == table["sentence"].nunique() and finding.numbers["differs"] == 1
    assert "1 can be checked here: 0 agree, 1 differs." in finding.text
    assert "Here, reduce: 1.00×" in finding.text and "A. Igumnov et al., 2015" in finding.text
    page = inputs.layout.report.read_text()
    assert 'id="published"' in page and "The time of a collective depends on the order of the hosts" in page


LINE: dict[str, Any] = {
    **dict.fromkeys(FINDING_COLUMNS, ""), "study": "bxj", "source": "S, 2017", "sentence": "one", "place": "table 1",
    "published": "It is fast.", "outcome": "agrees", "here": "1.00×.", "value": 1.0, "low": 1.0, "high": 1.0,
    "unit": "×", "if_differs": "Why it differs.", "stack": "a", "operation": "bcast", "bytes": "8",
}  # fmt: skip


def analysis(*lines: dict[str, Any]) -> Analysis:
    frame = pd.DataFrame([{**LINE, **line} for line in lines])
    return Analysis(pd.DataFrame(), Flagged(rows=[], points=[]), {PUBLISHED.name: frame})


def inputs_of(tmp_path: Path) -> Any:
    return load_inputs(write_run(tmp_path / "run", SPEC))


def test_a_sentence_has_the_worst_outcome_of_its_cases(tmp_path: Path) -> None:
    inputs = inputs_of(tmp_path)
    lines = analysis(
        {}, {"operation": "reduce", "outcome": "differs", "here": "2.00×.", "value": 2.0},
        {"sentence": "two", "outcome": "inconclusive", "here": "1.01×."},
        {"sentence": "three", "outcome": "not measured", "here": "Not measured.", "value": float("nan")},
    )  # fmt: skip
    (finding,) = published(inputs, lines)
    assert finding.text == (
        "Of 3 published sentences of the study bxj (S, 2017) 2 can be checked here: 0 agree, 1 differs, 1 is "
        "inconclusive. Published: “It is fast.” (table 1). Here, reduce: 2.00×. (1 of 2 cases differs.) Why it differs."
    )
    assert len(finding.details) == 2 and "Why" not in finding.details[1]
    (study,) = build(Source(inputs, lines, [finding], [])) or []
    assert [(row.outcome, row.cases) for row in study.rows] == [
        ("differs", "1 of 2 cases"), ("inconclusive", ""), ("not measured", ""),
    ]  # fmt: skip
    assert study.rows[0].here == "From 1.00× to 2.00×. For example reduce: 2.00×." and study.text == finding.text
    assert [case.case for case in study.cases] == ["reduce", "bcast"]


def on_both(packed: str, dealt: str, **line: Any) -> list[dict[str, Any]]:
    """The lines of a sentence on two placements that the study does not state, with these outcomes."""
    return [
        {"placement": "packed", "outcome": packed, "here": "1.16×.", **line},
        {"placement": "round-robin", "outcome": dealt, "here": "5.49×.", **line},
    ]


def test_what_differs_on_one_placement_alone_is_no_finding_and_the_table_has_both(tmp_path: Path) -> None:
    inputs, lines = inputs_of(tmp_path), analysis(*on_both("agrees", "differs"))
    (finding,) = published(inputs, lines)
    assert finding.text.endswith("1 can be checked here: 0 agree, 0 differ, 1 depends on the placement.")
    assert finding.details == [] and finding.numbers["depends_on_the_placement"] == 1
    (study,) = build(Source(inputs, lines, [finding], [])) or []
    assert [(row.outcome, row.cases, row.why) for row in study.rows] == [
        ("depends on the placement", "2 of 2 cases", "")
    ]
    assert {(each.case, each.outcome, each.here) for each in study.cases} == {
        ("packed", "agrees", "1.16×."), ("round-robin", "differs", "5.49×."),
    }  # fmt: skip


def test_what_differs_on_both_placements_is_a_finding_with_their_names(tmp_path: Path) -> None:
    """Also beside a case that depends on the placement, which is then not the one that is told."""
    both = on_both("differs", "differs", processes_per_node="12")
    lines = analysis(*on_both("agrees", "differs", processes_per_node="8"), *both)
    (finding,) = published(inputs_of(tmp_path), lines)
    assert "0 agree, 1 differs." in finding.text
    assert "Here, 12 per node, packed: 1.16×. (2 of 4 cases differ.) Why it differs." in finding.text
    (finding,) = published(inputs_of(tmp_path / "agree"), analysis(*on_both("agrees", "agrees")))
    assert finding.text.endswith("1 agrees, 0 differ.")


def test_a_case_of_one_of_two_placements_is_not_told(tmp_path: Path) -> None:
    lines = analysis(*on_both("agrees", "agrees", processes="16"), *on_both("", "differs", processes="32")[1:])
    (finding,) = published(inputs_of(tmp_path), lines)
    assert "0 can be checked here: 0 agree, 0 differ." in finding.text and finding.severity == "note"


def test_a_named_order_of_hosts_is_stated_and_so_has_its_own_outcome(tmp_path: Path) -> None:
    lines = analysis({"placement": "one-site"}, {"placement": "one-remote", "outcome": "differs"})
    (finding,) = published(inputs_of(tmp_path), lines)
    assert "0 agree, 1 differs." in finding.text and "Here, one-remote: " in finding.text


def test_each_stack_has_its_row_in_the_report(tmp_path: Path) -> None:
    lines = analysis({}, {"stack": "b", "outcome": "differs"})
    (study,) = build(Source(inputs_of(tmp_path), lines, [], [])) or []
    assert [(row.stack, row.outcome, row.why) for row in study.rows] == [
        ("b", "differs", "Why it differs."), ("a", "agrees", ""),
    ]  # fmt: skip
    assert not study.cases


def test_nothing_is_published_of_what_no_view_asks_for(tmp_path: Path) -> None:
    inputs, empty = inputs_of(tmp_path), analysis()
    assert (
        published(
            inputs,
            Analysis(empty.launches, empty.flagged, {PUBLISHED.name: pd.DataFrame(columns=list(FINDING_COLUMNS))}),
        )
        == []
    )
    assert repeated(campaign_of(SPEC)) == ["two-sites"]
    assert repeated(campaign_of(Spec(analysis={"views": ["mpiperf-local"]}))) == []
