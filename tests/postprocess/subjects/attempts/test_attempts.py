# SPDX-License-Identifier: BSD-3-Clause
"""Refused launches, from the folders of the attempts to table, finding and section."""

from __future__ import annotations

import pandas as pd
import pytest

from isochron.postprocess.analysis.analyse import analyse, collect
from isochron.postprocess.ingest.ingest import ingest
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import FINDINGS, Finding, Findings
from isochron.postprocess.kit.section import Source
from isochron.postprocess.subjects.attempts.section import build
from isochron.postprocess.subjects.attempts.table import ATTEMPTS
from isochron.schemas.run.state import BlockState, LaunchOutcome
from tests.postprocess.reported import report

pytestmark = pytest.mark.heavy


def outcome(inputs: RunInputs, attempt: int, refused: dict[str, str]) -> None:
    """What an attempt at the first block leaves."""
    block = inputs.plan.blocks[0]
    folder = inputs.layout.attempt(block.name, attempt)
    folder.mkdir(parents=True)
    launches = [
        LaunchOutcome(name=launch.name, accepted=launch.name not in refused, reason=refused.get(launch.name, ""))
        for launch in block.launches
    ]
    times = {"started_at": "2026-05-04T08:00:00Z", "ended_at": "2026-05-04T08:05:00Z"}
    BlockState(block=block.name, state="failed", attempt=attempt, launches=launches, **times).save(
        folder / "outcome.json"
    )


def analysed(inputs: RunInputs) -> tuple[pd.DataFrame, list[Finding], str]:
    report(inputs.layout.root)
    table = pd.read_csv(inputs.layout.tables / "attempts.csv", keep_default_na=False)
    findings = Findings.load(inputs.layout.tables / FINDINGS).findings
    return table, [each for each in findings if each.kind == "attempts"], inputs.layout.report.read_text()


def worked_out(inputs: RunInputs) -> tuple[pd.DataFrame, list[Finding], object]:
    """The same without files: table, findings and what the section shows."""
    ingest(inputs)
    analysis = analyse(inputs)
    findings = [each for each in collect(inputs, analysis).findings if each.kind == "attempts"]
    return analysis[ATTEMPTS], findings, build(Source(inputs, analysis, [], []))


def test_refused_and_measured_again_or_lost(small: RunInputs) -> None:
    again, lost = small.plan.blocks[0].launches[:2]
    small.layout.launch(lost.name).unlink()
    outcome(small, 1, {again.name: "exit code 3 <boom>", lost.name: "record count"})
    outcome(small, 2, {lost.name: "the launch was interrupted"})
    small.layout.attempt("b002", 1).mkdir(parents=True)
    (small.layout.attempt("b002", 1) / "spec.json").write_text("{}")
    small.layout.attempt("b002", 2).mkdir(parents=True)  # thinned out
    (small.layout.attempts("b002") / "b002.damaged").write_text("no attempt")
    table, (finding,), page = analysed(small)
    assert table[["block", "attempt", "launch"]].to_numpy().tolist() == [
        ["b001", 1, again.name],
        ["b001", 1, lost.name],
        ["b001", 2, lost.name],
        ["b002", 1, ""],
    ]
    assert table["measured"].tolist() == [True, False, False, False]
    assert finding.severity == "note"
    assert "1 of 16 planned launches was refused and measured again." in finding.text
    assert f"1 of 16 planned launches was refused and not measured since: {lost.stack} lacks 1." in finding.text
    assert "1 attempt at a block left no readable outcome." in finding.text
    assert len(finding.details) == 4
    section = page[page.index('<section id="attempts"') :]
    section = section[: section.index("</section>")]
    assert section.index("<details>") < section.index("<table")
    assert section.count('<th scope="row">') == 4
    assert "exit code 3 &lt;boom&gt;" in section


def test_an_outcome_that_cannot_be_read_is_listed(small: RunInputs) -> None:
    outcome(small, 1, {})
    (small.layout.attempt("b001", 1) / "outcome.json").write_text("{")
    table, (finding,), _ = worked_out(small)
    assert table["reason"].tolist() == ["the outcome of the attempt cannot be read"]
    assert finding.text == "1 attempt at a block left no readable outcome."


def test_nothing_refused_has_neither_section_nor_finding(small: RunInputs) -> None:
    outcome(small, 1, {})
    table, findings, section = worked_out(small)
    assert len(table) == 0
    assert findings == []
    assert section is None
