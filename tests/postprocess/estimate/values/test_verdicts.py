# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import pandas as pd
import pytest

from isochron.postprocess.estimate.values.verdicts import (
    LAUNCH_VERDICTS,
    RESULT_VERDICTS,
    min_ok,
    min_ok_text,
    result_verdict,
    verdict_of,
)


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (["ok"] * 10, "ok"),
        (["ok"] * 5 + ["unstable"] * 5, "ok"),
        (["ok"] * 4 + ["unstable"] * 6, "unstable"),
        (["ok"] * 3, "ok"),
        (["ok"] * 2, "too-few-launches"),
        (["ok"] * 2 + ["unstable"] * 2, "too-few-launches"),
        (["ok"] * 9 + ["failed-check"], "failed-check"),
        (["unstable"] * 3 + ["clock-limited"] * 4, "clock-limited"),
        (["not-supported"] * 3, "not-supported"),
        ([], "missing"),
    ],
)
def test_row_verdict(verdicts: list[str], expected: str) -> None:
    found = result_verdict(verdicts)
    assert found.verdict == expected
    assert found.reliable == (expected == "ok")
    assert bool(found.reason) == (expected != "ok")


def test_the_reason_counts_and_quotes() -> None:
    found = result_verdict(["ok", "unstable", "unstable"], ["", "relative error 0.3", "relative error 0.4"])
    assert found.reason == "1 ok of 3 launches; 2 unstable (relative error 0.3)"


def test_row_verdicts_are_those_of_launches_and_two_more() -> None:
    assert set(RESULT_VERDICTS) - set(LAUNCH_VERDICTS) == {"too-few-launches", "missing"}


def test_one_function_knows_how_many_launches_are_enough() -> None:
    """Of measured launches three, of simulated ones one; the report says the same in words."""
    for simulated, few, words in ((False, 2, "three"), (True, 0, "one (a simulator")):
        launches = pd.DataFrame({"verdict": ["ok"] * (few + 1), "reason": "", "simulated": simulated})
        assert min_ok(simulated) == few + 1
        assert verdict_of(launches).reliable
        assert not verdict_of(launches.iloc[:few]).reliable
        assert min_ok_text(launches).startswith(words)
    mixed = pd.DataFrame({"simulated": [True, False]})
    assert min_ok_text(mixed).startswith("three, of simulated ones one")
