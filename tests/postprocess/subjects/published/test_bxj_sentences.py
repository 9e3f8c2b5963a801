# SPDX-License-Identifier: BSD-3-Clause
"""Sentences of the BXJ study against times that are calculated here by hand: which of them a machine bears out."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, log2
from typing import Any

import pandas as pd
import pytest

from isochron.postprocess.subjects.published.checks import AGREES, DIFFERS, INCONCLUSIVE, NOT_MEASURED
from isochron.postprocess.subjects.published.quantity import Margins, select
from isochron.postprocess.subjects.published.table import outcomes_of
from isochron.schemas.input.published_findings import findings_path, load_findings, quantities

MARGINS = Margins(threshold=0.05, tolerance=0.1)
SENTENCES = {sentence.name: sentence for sentence in load_findings(findings_path("bxj")).sentences}
#: α in µs and bytes per µs of one stream, 3183 · 2²⁰ bytes/s.
ALPHA, STREAM = 2.37, 3183 * 2**20 / 1e6
PLACE = {"stack": "bxj", "placement": "round-robin"}
COUNTS = [2**power for power in range(4, 14)]
TABLE_2 = [0, 64, 128, 1024, 16384, 65536, 2**20, 2**22]


def told(name: str, rows: list[dict[str, Any]]) -> set[str]:
    """The outcomes of a sentence on a table with these rows, whose values are exact."""
    sentence, table = SENTENCES[name], pd.DataFrame(rows)
    tables = [select(quantity, table, exact=True) for quantity in quantities(sentence.check)]
    return {result.outcome for _, result in outcomes_of(sentence, tables, MARGINS)}


def ping_pong(packet_us: float = 0.0) -> list[dict[str, Any]]:
    """α + mβ with a further time of messages beyond one packet."""
    times = {size: ALPHA + size / STREAM + (packet_us if size > 64 else 0.0) for size in TABLE_2}
    return [
        {
            **PLACE, "operation": "ping-pong", "processes": 16, "processes_per_node": 8, "bytes": size,
            "latency_us": time, "one_way_mib_per_s": size / time * 1e6 / 2**20,
        }
        for size, time in times.items()
    ]  # fmt: skip


def test_a_line_has_no_rise_beyond_a_packet_and_a_bandwidth_that_grows_to_the_end() -> None:
    """64 B take 2.39 µs, 128 B 2.41: 0.8 % more. 1 MiB has 3160 MiB/s, 4 MiB 3177, of 3183."""
    assert told("ping-pong-packet", ping_pong()) == {DIFFERS}
    assert told("ping-pong-packet", ping_pong(packet_us=0.5)) == {AGREES}  # 2.91 µs, 22 % more
    assert told("ping-pong-bandwidth", ping_pong()) == {AGREES}
    few = [row for row in ping_pong() if row["bytes"] < 2**20]
    assert told("ping-pong-bandwidth", few) == {NOT_MEASURED}
    falling = [{**row, "one_way_mib_per_s": 2500.0} if row["bytes"] == 2**22 else row for row in ping_pong()]
    assert told("ping-pong-bandwidth", falling) == {DIFFERS}


def curve(operation: str, algorithm: str, models: dict[int, float], factors: dict[int, float]) -> list[dict[str, Any]]:
    """A curve at 16 KiB beside one model; `factors`: measured / model by process count, otherwise 1."""
    return [
        {
            **PLACE, "operation": operation, "bytes": 16384, "processes": processes, "processes_per_node": 8,
            "algorithm": algorithm, "measured_us": model * factors.get(processes, 1.0), "fitted_hockney_us": model,
        }
        for processes, model in models.items()
    ]  # fmt: skip


def tree_us(processes: int) -> float:
    """ℓ(α + nβ) of a broadcast of 16 KiB: 94.6 µs with 8192 processes, 87.3 with 4096."""
    return ceil(log2(processes)) * (ALPHA + 16384 / STREAM)


def test_bcast_of_16_kib_is_above_its_model_at_every_count_or_the_sentence_differs() -> None:
    trees = {processes: tree_us(processes) for processes in COUNTS}
    assert trees[8192] == pytest.approx(94.6, abs=0.05)
    assert told("bcast-large-trend", curve("bcast", "binomial tree", trees, dict.fromkeys(COUNTS, 1.4))) == {AGREES}
    near = {**dict.fromkeys(COUNTS, 1.4), 64: 1.05}
    assert told("bcast-large-trend", curve("bcast", "binomial tree", trees, near)) == {DIFFERS}


def rises() -> Iterator[tuple[str, str, int]]:
    for operation, algorithm in (("allreduce", "recursive doubling"), ("alltoall", "irecv-isend")):
        for processes in (4096, 8192):
            yield operation, algorithm, processes


@pytest.mark.parametrize(("operation", "algorithm", "processes"), list(rises()))
def test_a_rise_that_the_study_has_sometimes_is_seen_or_undecided(
    operation: str, algorithm: str, processes: int
) -> None:
    """A run without it does not refute what some runs of the study had."""
    models, name = dict.fromkeys(COUNTS, 400.0), f"{operation}-large-rise-{processes}"
    assert told(name, curve(operation, algorithm, models, {processes: 3.0})) == {AGREES}
    assert told(name, curve(operation, algorithm, models, {})) == {INCONCLUSIVE}
    assert told(name, curve(operation, algorithm, models, {12288 - processes: 3.0})) == {INCONCLUSIVE}
    assert told("bcast-large-trend", curve("bcast", "binomial tree", models, {})) == {DIFFERS}


@pytest.mark.parametrize(
    ("name", "ratio", "outcome"),
    [
        ("reduce-per-node", 1.08, AGREES), ("reduce-per-node", 1.3, DIFFERS), ("reduce-per-node", 0.8, DIFFERS),
        ("gather-per-node", 1.3, AGREES), ("gather-per-node", 0.9, DIFFERS),
        ("scatter-per-node", 1.04, AGREES), ("scatter-per-node", 0.98, DIFFERS), ("scatter-per-node", 1.3, DIFFERS),
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", [128, 16384])
def test_12_against_8_per_node_is_checked_at_both_sizes(name: str, ratio: float, outcome: str, size: int) -> None:
    rows = [
        {
            **PLACE, "operation": name.removesuffix("-per-node"), "bytes": size, "processes": 64,
            "processes_per_node": per_node, "time_us": time,
        }
        for per_node, time in ((8, 100.0), (12, 100.0 * ratio))
    ]  # fmt: skip
    assert told(name, rows) == {outcome}
