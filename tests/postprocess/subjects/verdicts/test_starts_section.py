# SPDX-License-Identifier: BSD-3-Clause
"""The section on starts: folded, every row, and nothing where nothing was measured."""

from __future__ import annotations

import pytest

from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.section import Source
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.verdicts.section import StartRow, StartsView, build_starts
from isochron.postprocess.subjects.verdicts.table import STARTS
from tests.postprocess.changed import having

pytestmark = pytest.mark.heavy


def view(inputs: RunInputs, analysis: Analysis) -> StartsView:
    found = build_starts(Source(inputs, analysis.only([STARTS]), [], []))
    assert found is not None
    return found


def test_the_section_is_in_the_report_and_folded(demo: RunInputs) -> None:
    page = demo.layout.report.read_text()
    assert '<a href="#starts">Starts</a>' in page
    section = page[page.index('<section id="starts"') :]
    section = section[: section.index("</section>")]
    assert section.index("<details>") < section.index("<table")
    assert section.count("<tr><th") == 1 + 210
    assert "Starts were 60\u202fns apart in the median over rows" in section


def test_the_most_discarded_comes_first(demo: RunInputs, demo_analysis: Analysis) -> None:
    table = demo_analysis[STARTS].copy()
    table.loc[7, ["discarded", "late_start", "reps_made"]] = [0.25, 0.25, 4321]
    found = view(demo, having(demo_analysis, {STARTS: table}))
    first: StartRow = found.rows[0]
    assert (first.runs, first.late) == ("4\u202f321", "25\u202f%")
    worse = int((table["discarded"] > 0.1).sum())
    assert f"In {worse} of 210 rows more than 10\u202f% of the runs were discarded" in found.text


def test_nothing_measured_has_no_section(demo: RunInputs, demo_analysis: Analysis) -> None:
    nothing = having(demo_analysis, {STARTS: demo_analysis[STARTS].iloc[:0]})
    assert build_starts(Source(demo, nothing, [], [])) is None
