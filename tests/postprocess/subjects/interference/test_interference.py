# SPDX-License-Identifier: BSD-3-Clause
"""The section on interference: every launch, and nothing where nothing was read."""

from __future__ import annotations

import numpy as np
import pytest

from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.section import Source
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.comparison.table import COMPARISON
from isochron.postprocess.subjects.interference.section import build
from isochron.postprocess.subjects.interference.table import PROBE_TABLE
from tests.postprocess.changed import having

pytestmark = pytest.mark.heavy


def test_the_section_is_in_the_report(demo: RunInputs) -> None:
    page = demo.layout.report.read_text()
    assert '<a href="#interference">Interference</a>' in page
    section = page[page.index('<section id="interference"') :]
    section = section[: section.index("</section>")]
    assert section.index('href="#trust"') < section.index("<details>") < section.index("<table")
    assert section.count("<tr><th") == 1 + 99
    assert "A cache line took 110\u202fns from one process to another and back" in section
    assert "In 29 of 99 launches it took more than 1.5 times" in section


def test_the_worst_comes_first(demo: RunInputs, demo_analysis: Analysis) -> None:
    table = demo_analysis[PROBE_TABLE].copy()
    table.loc[7, ["cache_line_ratio", "switches"]] = [9.0, 4321]
    found = build(Source(demo, having(demo_analysis, {PROBE_TABLE: table}).only([PROBE_TABLE, COMPARISON]), [], []))
    assert found is not None
    assert (found.rows[0].ratio, found.rows[0].switches) == ("9.00×", "4\u202f321")


def test_what_the_probes_do_for_the_comparisons_is_said(demo: RunInputs, demo_analysis: Analysis) -> None:
    table = demo_analysis[COMPARISON].copy()
    used = int((table["adjusted_by"] != "none").sum())
    assert used <= 2 and f"In {used} of 420 comparisons a probe" in demo.layout.report.read_text()
    table["adjusted_by"] = "none"
    table.loc[[2, 3], "adjusted_by"] = "cache_line_ns"
    table.loc[[2, 3], ["adjusted_low", "adjusted_high"]] = np.sqrt(
        table.loc[[2, 3], ["ratio_low", "ratio_high"]]
    ).to_numpy()
    table.loc[3, "adjusted_verdict"] = "other"
    found = build(Source(demo, having(demo_analysis, {COMPARISON: table}).only([PROBE_TABLE, COMPARISON]), [], []))
    assert found is not None and found.adjusted == (
        "In 2 of 420 comparisons a probe makes the launches more alike: adjusted for interference their intervals are "
        "0.500 times as wide in the median, and 1 of their verdicts would be others"
    )
    nothing = having(demo_analysis, {COMPARISON: table.assign(adjusted_by="")}).only([PROBE_TABLE, COMPARISON])
    without = build(Source(demo, nothing, [], []))
    assert without is not None and without.adjusted == ""


def test_what_was_gated_is_told(demo: RunInputs, demo_analysis: Analysis) -> None:
    table = demo_analysis[PROBE_TABLE].copy()
    without = build(Source(demo, demo_analysis.only([PROBE_TABLE, COMPARISON]), [], []))
    assert without is not None and "gated" not in without.text
    table.loc[[3, 4], ["gate_limit_ns", "extra_share"]] = [[250.0, 0.1], [250.0, 0.2]]
    table.loc[3, "disturbed_reps"] = 1234
    found = build(Source(demo, having(demo_analysis, {PROBE_TABLE: table}).only([PROBE_TABLE, COMPARISON]), [], []))
    assert found is not None and "were gated in 2 launches: 1\u202f234 runs do not count" in found.text
    assert found.text.endswith("took 15\u202f% of a launch in the median, 20\u202f% at most")


def test_without_pairs_there_is_a_sentence(demo: RunInputs, demo_analysis: Analysis) -> None:
    missing = float("nan")
    table = demo_analysis[PROBE_TABLE].assign(
        readings=0, cache_line_ns=missing, cache_line_ratio=missing, network_us=missing
    )
    found = build(Source(demo, having(demo_analysis, {PROBE_TABLE: table}).only([PROBE_TABLE, COMPARISON]), [], []))
    assert found is not None and found.text == "No two processes shared a cache line"
    assert {(row.line, row.spread, row.ratio) for row in found.rows} == {("–", "–", "–")}


def test_the_network_is_told_by_what_has_read_it(demo: RunInputs, demo_analysis: Analysis) -> None:
    """In its column, and in a sentence each for datagrams and for the library itself; on one host in none."""
    page = demo.layout.report.read_text()
    assert "A datagram took 30.0\u202fµs from one host to another and back in the median over launches" in page
    assert "the MPI library has read" not in page and '<th scope="col">Network (µs)</th>' in page
    table = demo_analysis[PROBE_TABLE].copy()
    library = having(demo_analysis, {PROBE_TABLE: table.assign(network_by=table["network_by"].replace("udp", "mpi"))})
    found = build(Source(demo, library.only([PROBE_TABLE, COMPARISON]), [], []))
    assert found is not None and "A datagram" not in found.text
    assert "no datagram passed between hosts: the MPI library has read the network itself" in found.text
    assert {row.network for row in found.rows} == {"–", "30.0 (MPI)"}
    alone = having(demo_analysis, {PROBE_TABLE: table.assign(network_us=float("nan"), network_by="")})
    without = build(Source(demo, alone.only([PROBE_TABLE, COMPARISON]), [], []))
    assert without is not None and not without.network and "host to another and back in" not in without.text


def test_nothing_read_has_no_section(demo: RunInputs, demo_analysis: Analysis) -> None:
    nothing = having(demo_analysis, {PROBE_TABLE: demo_analysis[PROBE_TABLE].iloc[:0]})
    assert build(Source(demo, nothing, [], [])) is None
