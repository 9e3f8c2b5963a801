# SPDX-License-Identifier: BSD-3-Clause
"""The table of a scan: from launches on named hosts to slow nodes and links."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.estimate.compare.scan import SCAN_COLUMNS, heat, scan_table

HOSTS = ["a", "b", "c", "d", "e", "f"]
RULES = Rules(0.05, 0.95)


def measured(units: list[tuple[str, ...]], factor: dict[tuple[str, ...], float], blocks: int) -> pd.DataFrame:
    """Launches in `blocks` allocations, each with its own regime: 100 µs on each unit, times its factor."""
    rng = np.random.default_rng(3)
    rows = []
    for block in range(1, blocks + 1):
        regime = float(np.exp(rng.normal(0, 0.5)))
        for unit in units:
            time = 100 * regime * factor.get(unit, 1.0) * float(np.exp(rng.normal(0, 0.01)))
            rows.append(
                (f"{block}.{unit}", "s", "ping-pong", 1000, 2, 3 - len(unit), block, 1, time, 2000, ",".join(unit))
            )
    names = ["launch_id", "stack", "operation", "bytes", "processes", "processes_per_node", "block", "attempt",
             "median_us", "bytes_moved", "hosts"]  # fmt: skip
    return pd.DataFrame(rows, columns=pd.Index(names))


def table_of(rows: pd.DataFrame) -> pd.DataFrame:
    return scan_table(rows.drop(columns="hosts"), rows[["launch_id", "hosts"]], RULES)


def test_one_slow_node_is_named_with_its_ratio_and_bandwidth() -> None:
    rows = measured([(host,) for host in HOSTS], {("d",): 1.3}, 5)
    table = table_of(rows)
    assert list(table) == list(SCAN_COLUMNS)
    assert table.set_index("host")["verdict"].to_dict() == {
        host: "slow" if host == "d" else "as the others" for host in HOSTS
    }
    slow = table.set_index("host").loc["d"]
    assert slow["ratio"] == pytest.approx(1.3, rel=0.02)
    assert slow["time_us"] == pytest.approx(rows.loc[rows["hosts"] == "d", "median_us"].median(), rel=1e-9)
    assert slow["mb_per_s"] == pytest.approx(1000 / slow["time_us"])
    assert slow["p_adjusted"] == pytest.approx(6 * 6.0**-5)
    assert (slow["allocations"], slow["peer"], slow["unit"]) == (5, "", "node")


def test_with_too_few_allocations_nothing_is_established() -> None:
    table = table_of(measured([(host,) for host in HOSTS], {("d",): 1.3}, 2)).set_index("host")
    assert table["verdict"]["d"] == "not established"
    assert set(table["verdict"].drop("d")) == {"as the others"}


def test_a_node_with_slow_links_and_one_slow_link_are_told_apart() -> None:
    pairs = list(combinations(HOSTS, 2))
    factor = {pair: 1.5 for pair in pairs if "b" in pair} | {("d", "f"): 2.0}
    table = table_of(measured(pairs, factor, 6))
    slow = table[table["verdict"] == "slow"]
    assert slow[["unit", "host", "peer"]].to_numpy().tolist() == [["node", "b", ""], ["link", "d", "f"]]
    by_node = table[table["verdict"] == "by its node"]
    assert len(by_node) == 5 and ((by_node["host"] == "b") | (by_node["peer"] == "b")).all()
    assert len(table[table["verdict"] == "as the others"]) == 5 + 9
    hosts, matrix = heat(table)
    assert hosts == HOSTS
    assert matrix[3, 5] == matrix[5, 3] == pytest.approx(2.0, rel=0.05)
    assert matrix[1, 0] == pytest.approx(1.5, rel=0.05) and np.isnan(np.diag(matrix)).all()
