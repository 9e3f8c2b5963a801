# SPDX-License-Identifier: BSD-3-Clause
"""The largest effect of a run and what a newer version brings are the first results that a reader meets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from isochron.postprocess.analysis.analyse import analyse, collect
from isochron.postprocess.ingest.ingest import ingest
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.comparison import finding as differences
from isochron.postprocess.subjects.comparison.table import TAIL_COMPARISON
from tests.postprocess.synthetic import Spec, write_run

pytestmark = pytest.mark.heavy

#: Two versions of one library and another library.
SPEC = Spec(
    stacks=["mpich-4.3", "mpich-5.0", "openmpi-5.0"],
    operations=["bcast", "alltoall"],
    sizes=[8, 64],
    processes=[4],
    launches=12,
    launch_spread=0.01,
    speed={"mpich-4.3": 1.0, "mpich-5.0": 2.7, "openmpi-5.0": 1.02},
)


def made(folder: Path, **changes: Any) -> tuple[RunInputs, Analysis]:
    inputs = load_inputs(write_run(folder / "run", replace(SPEC, **changes)))
    ingest(inputs)
    return inputs, analyse(inputs)


def test_a_newer_version_that_loses_is_the_first_result(tmp_path: Path) -> None:
    inputs, analysis = made(tmp_path)
    results = [each for each in collect(inputs, analysis).findings if each.severity == "result"]
    assert [each.kind for each in results[:2]] == ["versions", "differences"]
    upgrade, largest = results[:2]
    assert upgrade.text.startswith("mpich-5.0 against mpich-4.3: of 4 cases it is slower in 4 (at worst at least 2.")
    assert (upgrade.numbers["slower"], upgrade.numbers["faster"], upgrade.numbers["inconclusive"]) == (4, 0, 0)
    assert largest.numbers["stack"] == "mpich-5.0"
    assert largest.numbers["ratio"] == pytest.approx(2.7, rel=0.05)
    assert len(largest.details) == 2, "of the slow stack one line for each operation"


def test_versions_that_do_not_differ_are_equal_or_open_with_a_bound(tmp_path: Path) -> None:
    inputs, analysis = made(tmp_path, speed=dict.fromkeys(SPEC.stacks, 1.0), launch_spread=0.15)
    (upgrade,) = differences.versions(inputs, analysis)
    assert upgrade.numbers["slower"] == upgrade.numbers["faster"] == 0
    assert upgrade.numbers["inconclusive"]
    assert "inconclusive, with a slowdown of at most 1." in upgrade.text
    assert differences.largest(inputs, analysis) == []


def test_libraries_without_two_versions_are_chosen_from(tmp_path: Path) -> None:
    inputs, analysis = made(tmp_path, stacks=["mpich-5.0", "openmpi-5.0"])
    (finding,) = differences.versions(inputs, analysis)
    assert finding.text.startswith("openmpi-5.0 against all others: of ")
    assert differences.largest(inputs, analysis)[0].numbers["other"] == "openmpi-5.0"


def test_long_repetitions_are_told_of_where_the_median_does_not_show_them(tmp_path: Path) -> None:
    equal = dict.fromkeys(SPEC.stacks, 1.0)
    inputs, analysis = made(tmp_path, speed=equal, truth=lambda *_: 9.0, runs=100, delayed={"mpich-5.0": (0.06, 10.0)})
    (finding,) = differences.tails(inputs, analysis)
    table = analysis[TAIL_COMPARISON]
    assert finding.numbers["not_in_median"] == finding.numbers["established"] > 8
    assert finding.numbers["stack"] == "mpich-5.0" and finding.numbers["quantile"] == "p99"
    assert 1.5 < finding.numbers["least"] < finding.numbers["ratio"] < 10  # type: ignore[operator]
    assert finding.text.startswith(
        f"Long repetitions: in {finding.numbers['not_in_median']} of {len(table)} comparisons"
    )
    assert " of mpich-5.0 is at least " in finding.text and len(finding.details) == 4
    assert [each.kind for each in collect(inputs, analysis).findings].count("tails") == 1


def test_long_repetitions_are_not_told_of_where_the_median_shows_as_much(tmp_path: Path) -> None:
    inputs, analysis = made(tmp_path, speed={"mpich-4.3": 1.0, "mpich-5.0": 2.7, "openmpi-5.0": 1.0})
    assert (analysis[TAIL_COMPARISON]["verdict"] == "slower").any()
    assert differences.tails(inputs, analysis) == []
