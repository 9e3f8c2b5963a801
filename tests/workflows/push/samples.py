# SPDX-License-Identifier: BSD-3-Clause
"""Batches without a run, and pauses of no time."""

from __future__ import annotations

import json
from typing import Any

from isochron.workflows.push.batch import Batch

RUN, NEXT = "20260504T080000Z-aaaa", "20260505T080000Z-bbbb"
POINT = {"operation": "bcast", "processes": 4, "processes_per_node": 2, "placement": "packed"}


def result(run_id: str, size: int, median_us: float | None = 2.5, **more: object) -> dict[str, Any]:
    """A record of a result, with a number that is not known."""
    return {
        "key": f"{run_id}/result/mpich-5.0/bcast/{size}/4/2/packed", "kind": "result", "campaign": "nightly",
        "system": "alpha", "run_id": run_id, "created_at": "2026-05-04T08:00:00Z", "stack": "mpich-5.0", **POINT,
        "bytes": size, "median_us": median_us, "median_low_us": 2.25, "median_high_us": None, "verdict": "ok",
        "reliable": True, **more,
    }  # fmt: skip


def comparison(run_id: str, size: int, verdict: str = "slower") -> dict[str, Any]:
    return {
        "key": f"{run_id}/comparison/mpich-5.0/mpich-4.3/bcast/{size}/4/2/packed", "kind": "comparison",
        "campaign": "nightly", "system": "alpha", "run_id": run_id, "created_at": "2026-05-04T08:00:00Z", **POINT,
        "bytes": size, "baseline": "mpich-4.3", "candidate": "mpich-5.0", "ratio": 1.25, "ratio_low": 1.125,
        "ratio_high": 1.5, "p_adjusted": 0.001, "verdict": verdict,
    }  # fmt: skip


def answer(run_id: str) -> dict[str, Any]:
    return {
        "key": f"{run_id}/answer/mpich-5.0/mpich-4.3", "kind": "answer", "campaign": "nightly", "system": "alpha",
        "run_id": run_id, "created_at": "2026-05-04T08:00:00Z", "baseline": "mpich-4.3", "candidate": "mpich-5.0",
        "decision": "keep-baseline", "cases": 3, "slower": 1, "regressed": 1, "faster": 0, "at_risk": 2,
        "effect_ratio": 1.0625,
    }  # fmt: skip


def batch(run_id: str = RUN, *records: dict[str, Any]) -> Batch:
    """The batch of a run; by default three results, a comparison and an answer."""
    default = (*(result(run_id, size) for size in (8, 64, 512)), comparison(run_id, 8), answer(run_id))
    return Batch(run_id, "".join(json.dumps(record) + "\n" for record in records or default).encode())


def at_once(_seconds: float) -> None:
    """A pause of no time."""


def unsaid(_text: str) -> None:
    """Nobody listens."""
