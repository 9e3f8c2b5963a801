# SPDX-License-Identifier: BSD-3-Clause
"""From tuning.json to a sentence of the report."""

from __future__ import annotations

from typing import cast

from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.tuning.finding import tuned
from isochron.schemas.run.tuning import LeftOut, Rule, TunedCase, Tuning

NO_TABLES = cast(Analysis, None)  # it needs none


def rule(low: int, high: int) -> Rule:
    """A rule of one operation."""
    return Rule(
        operation="bcast", processes=2, low=low, high=high, setting="s", variable="v", algorithm="chain", number=2
    )


def case(size: int, verdict: str) -> TunedCase:
    """A case of the proof."""
    return TunedCase(
        operation="bcast", bytes=size, processes=2, rule=True, verdict=verdict, ratio=0.8, low=0.7, high=0.9
    )


def test_what_was_proven_and_what_was_left_out(small: RunInputs) -> None:
    assert tuned(small, NO_TABLES) == []
    Tuning(
        stack="o", library="Open MPI", threshold=0.05, error=0.05, tried={"bcast": ["chain", "tree"]}, refused={},
        screened=3, rounds=3, blocks=6, launches=10, rules=[rule(8, 64)],
        left_out=[LeftOut(rule=rule(512, 512), reason="not confirmed: inconclusive")],
        cases=[case(8, "faster"), case(64, "faster"), case(512, "inconclusive")], files=["tuning/openmpi-rules.conf"],
    ).save(small.layout.tuning)  # fmt: skip
    [finding] = tuned(small, NO_TABLES)
    assert finding.text.endswith(
        "Proven: bcast 8 to 64 B, 2 processes: chain. Left out: bcast 512 B, 2 processes: chain. Files: "
        "tuning/openmpi-rules.conf."
    )
    assert finding.text.startswith("o: 2 of 3 cases cured by 1 rule, no case is slower")
    assert finding.numbers == {"rules": 1, "cured": 2, "left_out": 1}
