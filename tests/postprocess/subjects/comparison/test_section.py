# SPDX-License-Identifier: BSD-3-Clause
"""The matrix of the fastest stacks: what its cells say where no stack is established as the fastest."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pandas as pd
import pytest

from isochron.postprocess.kit.section import Source, StackMark
from isochron.postprocess.subjects.comparison.section import build
from isochron.postprocess.subjects.comparison.table import FASTEST

SAID = {"tied": "equivalent", "depends": "depends on the regime", "inconclusive": "not established", "only-stack": ""}


@pytest.mark.parametrize("state", SAID)
def test_a_cell_says_why_no_stack_is_established(state: str) -> None:
    line = {"operation": "bcast", "bytes": 8, "processes": 4, "processes_per_node": 4, "placement": "packed"}
    table = pd.DataFrame([line | {"contenders": "a,b", "state": state}])
    marks = {name: StackMark(name, name, number) for number, name in enumerate("ab")}
    inputs = SimpleNamespace(campaign=SimpleNamespace(stacks=["a", "b"]))
    source = SimpleNamespace(inputs=inputs, analysis={FASTEST: table}, marks=marks)
    (matrix,) = build(cast(Source, source)) or []
    (cell,) = matrix.rows[0].cells
    assert (cell.state, cell.lead, [mark.name for mark in cell.stacks]) == (state, SAID[state], ["a", "b"])
    assert matrix.settled == (state != "inconclusive")
