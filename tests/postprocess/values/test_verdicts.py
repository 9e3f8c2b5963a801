# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import pytest

from isochron.postprocess.values.verdicts import LAUNCH_VERDICTS, ROW_VERDICTS, row_verdict


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
    found = row_verdict(verdicts)
    assert found.verdict == expected
    assert found.believed == (expected == "ok")
    assert bool(found.reason) == (expected != "ok")


def test_the_reason_counts_and_quotes() -> None:
    found = row_verdict(["ok", "unstable", "unstable"], ["", "relative error 0.3", "relative error 0.4"])
    assert found.reason == "1 ok of 3 launches; 2 unstable (relative error 0.3)"


def test_row_verdicts_are_those_of_launches_and_two_more() -> None:
    assert set(ROW_VERDICTS) - set(LAUNCH_VERDICTS) == {"too-few-launches", "missing"}
