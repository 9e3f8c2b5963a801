# SPDX-License-Identifier: BSD-3-Clause
"""From screening.json to a sentence of the report."""

from __future__ import annotations

from typing import cast

from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.answer.section import FIRST
from isochron.postprocess.subjects.screening.finding import screened
from isochron.schemas.run.screening import ScreenedCase, Screening

NO_TABLES = cast(Analysis, None)  # it needs none


def case(operation: str, size: int, followed: bool) -> ScreenedCase:
    return ScreenedCase(
        operation=operation, bytes=size, ratio=1.2, low=1.1, high=1.3, p_value=0.001,
        seconds=1.0, unverified_seconds=1.0, followed=followed,
    )  # fmt: skip


def test_how_the_operations_were_chosen(small: RunInputs) -> None:
    assert screened(small, NO_TABLES) == []
    cases = [case("bcast", 8, True), case("bcast", 64, True), case("scan", 8, False), case("gather", 8, False)]
    Screening(old="a", new="b", run="1", blocks=3, threshold=0.05, cases=cases, left=["scan", "gather"]).save(
        small.layout.screening
    )
    [finding] = screened(small, NO_TABLES)
    assert finding.text == (
        "4 cases of 3 operations were screened in 3 blocks before this run, which measures again 1 operation that "
        "seemed to change most surely from a to b. Its verdicts rest on its own launches alone. scan and gather also "
        "seemed to, and could not be followed."
    )
    assert finding.numbers == {"cases": 4, "operations": 3, "followed": 1}


def test_what_does_not_work_is_a_caution(small: RunInputs) -> None:
    screening = Screening(old="a", new="b", run="1", blocks=3, threshold=0.05, cases=[case("bcast", 8, True)])
    assert screening.unusable == screening.broken == ""
    lacks = {"wrong": {"a": ["scatter_init", "scan"], "b": ["scan"]}, "ended": {"a": ["gather"]}}
    screening.model_copy(update=lacks).save(small.layout.screening)
    [finding] = screened(small, NO_TABLES)
    assert finding.severity == "warning"
    assert finding.text.endswith(
        "Wrong data, and therefore not compared: scatter_init, scan with a; scan with b. "
        "The program ends, and therefore not compared: gather with a."
    )


def test_what_the_new_version_breaks_stands_first(small: RunInputs) -> None:
    screening = Screening(old="a", new="b", run="1", blocks=3, threshold=0.05, cases=[case("bcast", 8, True)])
    lacks = {"wrong": {"a": ["scan"], "b": ["scan", "exscan"]}, "ended": {"b": ["gather", "scatter"]}}
    screening.model_copy(update=lacks).save(small.layout.screening)
    broken, _ = screened(small, NO_TABLES)
    assert broken.kind in FIRST and broken.severity == "warning"
    assert broken.text == (
        "b delivers wrong data in exscan, where a is right. b ends the program in gather, scatter; a was not seen to."
    )
