# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons the other way round: they say what a comparison of the exchanged stacks says, in numbers and in words."""

from __future__ import annotations

import pandas as pd
import pytest

from isochron.postprocess.estimate.compare.comparison import compare
from isochron.postprocess.estimate.compare.inverse import COLUMNS, inverted
from isochron.stats import multiple_tests
from tests.postprocess.estimate.compare.made import RULES, Row, row, rows_of
from tests.postprocess.estimate.compare.sessions import compared
from tests.postprocess.estimate.compare.test_turns import regimes


@pytest.fixture(autouse=True)
def fewer_exchanges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiple_tests, "DRAWN", 999)


@pytest.mark.parametrize(("quiet", "disturbed"), [(1.3, 0.7), (1.3, 2.0), (1.0, 1.04)])
def test_reasons_have_the_ratios_of_the_other_stack(quiet: float, disturbed: float) -> None:
    """`depends` has both, a claim of one regime that of the other one."""
    baseline, candidate = regimes(quiet, disturbed)
    table = compared((baseline, candidate), RULES)
    exchanged = compared((candidate, baseline), RULES)
    assert table["reason"].str.contains("regime").all()
    assert inverted(table)["reason"].tolist() == exchanged["reason"].tolist() != table["reason"].tolist()


@pytest.mark.parametrize("reason", ["interim analysis; {}", "{}; not asleep: a"])
def test_what_is_added_to_a_reason_stays(reason: str) -> None:
    table = compared(regimes(1.3, 0.7), RULES)
    noted = table.assign(reason=[reason.format(text) for text in table["reason"]])
    plain = inverted(table)["reason"]
    assert inverted(noted)["reason"].tolist() == [reason.format(text) for text in plain]


def test_everything_else_is_that_of_the_exchanged_stacks() -> None:
    """Among it the numbers of launches in the reason, and names, which stay as they are."""
    few, more, nothing = row("a", 10, launches=3), row("b", 13, launches=4), Row({}, "not-supported")
    for one, other in ((few, more), (row("a", 10), row("b", 13)), (row("a", 10), nothing)):
        forth, back = (
            compare({name: rows_of(name, [side]) for name, side in order}, [name for name, _ in order], RULES)
            for order in ([("a", one), ("b", other)], [("b", other), ("a", one)])
        )
        pd.testing.assert_frame_equal(inverted(forth), back[COLUMNS])
