# SPDX-License-Identifier: BSD-3-Clause
"""A campaign in which operations with datatypes are measured beside contiguous ones, from its file to the report."""

from __future__ import annotations

import pandas as pd
import pytest

from isochron.postprocess.ingest.turns import read_candles
from isochron.schemas.engine.contract import cases
from tests.end_to_end.conftest import Place

pytestmark = [pytest.mark.mpi, pytest.mark.campaign]

OPERATIONS = ["ping-pong", "ping-pong@vector-32", "bcast@indexed"]
SIZES = [8, 4096]


def test_datatypes_are_a_dimension_of_a_campaign(place: Place) -> None:
    """In one launch of each library and block, with the candle beside; under one name everywhere."""
    place.write(operations=OPERATIONS, sizes=SIZES, engine={"check": True})
    done = place.isochron("run", "mini.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    expected = cases(OPERATIONS, SIZES)
    assert expected == [("ping-pong", 8), ("ping-pong", 4096), ("ping-pong@vector-32", 4096), ("bcast@indexed", 4096)]
    tables = place.run.tables
    for name, stacks in (("summary", 2), ("comparison", 1)):
        table = pd.read_csv(tables / f"{name}.csv")
        measured = list(table[["operation", "bytes"]].itertuples(index=False, name=None))
        assert sorted(measured) == sorted(stacks * expected), name
    bandwidth = pd.read_csv(tables / "bandwidth.csv")
    typed = bandwidth[bandwidth["operation"] == "ping-pong@vector-32"]
    assert (typed["bytes_moved"] == 4096).all() and len(typed) == 2  # one way
    candles = read_candles(place.run)
    assert set(candles[["operation", "bytes"]].itertuples(index=False, name=None)) == set(expected)
    assert "ping-pong@vector-32 (half round trip)" in place.run.report.read_text()
