# SPDX-License-Identifier: BSD-3-Clause
"""Made-up campaigns: launches of stacks in blocks, on a machine without and with regimes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.random import Generator

from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.estimate.compare.rows import Rows, Side
from isochron.postprocess.estimate.values.launches import PROBES
from isochron.postprocess.ingest.inputs import CASE

RULES = Rules(threshold=0.05, confidence=0.95)
CASES = [("bcast", size, 4, 4, "packed") for size in (8, 64)]


@dataclass(frozen=True)
class Row:
    """A row: its launch medians (µs) in each block."""

    blocks: Mapping[int, Sequence[float]] = field(default_factory=dict)
    verdict: str = "ok"

    @property
    def value(self) -> float:
        every = [time for times in self.blocks.values() for time in times]
        return float(np.median(every)) if every else float("nan")


def row(
    name: str, centre: float, launches: int = 10, per_block: int = 1, verdict: str = "ok", spread: float = 0.02
) -> Row:
    """A row whose launches spread around a centre; the same for the same arguments."""
    rng = np.random.default_rng([launches, per_block, len(name), int(centre * 1000)])
    times = {i: (centre * np.exp(rng.normal(0, spread, per_block))).tolist() for i in range(launches // per_block)}
    return Row(times, verdict)


def rows_of(stack: str, known: Sequence[Row | None]) -> Rows:
    """Of a stack the rows of the first cases; None is a row that was not planned."""
    summary = [
        (*case, found.value, sum(map(len, found.blocks.values())), found.verdict == "ok", found.verdict)
        for case, found in zip(CASES, known, strict=False)
        if found is not None
    ]
    launches = [
        (*case, f"{stack}.{block}.{number}", block, time)
        for case, found in zip(CASES, known, strict=False)
        for block, times in (found.blocks if found else {}).items()
        for number, time in enumerate(times)
    ]
    return Rows(
        pd.DataFrame(summary, columns=pd.Index([*CASE, "median_us", "launches_used", "reliable", "verdict"])),
        pd.DataFrame(launches, columns=pd.Index([*CASE, "launch_id", "allocation", "median_us"])),
    )


def machine(rng: Generator, world: str, launches: int) -> np.ndarray:
    """What the machine adds to the logarithm of each launch, in order of time. Shape (launches,).

    `quiet`; `blocks` of four launches share a regime of 1 or 2.5; `dwell-N`: such a regime changes with a probability
    of 1/N from launch to launch; `drift`: slower by 30 % from the first launch to the last; `jumps`: each launch as a
    whole takes 0.93 or 1.18 times as long.
    """
    if world == "quiet":
        return np.zeros(launches)
    if world == "jumps":
        return rng.choice(np.log([0.93, 1.18]), launches)
    if world == "blocks":
        return np.log(2.5) * rng.integers(0, 2, -(-launches // 4)).repeat(4)[:launches]
    if world == "drift":
        return np.linspace(0, np.log(1.3), launches)
    changes = rng.random(launches) < 1 / int(world.removeprefix("dwell-"))
    return np.log(2.5) * ((rng.integers(0, 2) + np.cumsum(changes)) % 2)


def slow_launches(rng: Generator, share: float, dwell: int, launches: int) -> np.ndarray:
    """Which launches met a slow regime: a share of them, about `dwell` launches on end (1: each by itself); (n,)."""
    changes, slow = 2 / max(dwell, 2), np.empty(launches, dtype=bool)
    slow[0] = rng.random() < share
    for number in range(1, launches):
        slow[number] = rng.random() < (slow[number - 1] * (1 - changes) + changes * share)
    return slow


def campaign(
    rng: Generator, world: str, blocks: int, per_block: int, cases: int, spread: float = 0.02
) -> tuple[Side, Side]:
    """Two stacks that do not differ: in each block the launches of both in random order, all cases in each launch."""
    each = 2 * per_block
    order = np.concatenate([block * each + rng.permutation(each) for block in range(blocks)])
    logs = machine(rng, world, blocks * each)[order][:, None] + rng.normal(0, spread, (blocks * each, cases))
    number, second = np.repeat(np.arange(blocks), each), np.tile(np.arange(each) >= per_block, blocks)
    return Side(logs[~second], number[~second]), Side(logs[second], number[second])


def side_rows(stack: str, side: Side) -> Rows:
    """The rows of a stack that has these launches, all reliable, in as many cases."""
    cases = [("bcast", 8 * (number + 1), 4, 4, "packed") for number in range(side.logs.shape[1])]
    launches = pd.DataFrame([case for _ in side.logs for case in cases], columns=pd.Index(CASE)).assign(
        launch_id=[f"{stack}.{launch}" for launch in range(len(side.logs)) for _ in cases],
        allocation=np.repeat(side.blocks, len(cases)),
        median_us=np.exp(side.logs).ravel(),
    )
    if side.probes is not None:
        launches = launches.assign(
            **{name: np.exp(each).ravel() for name, each in zip(PROBES, side.probes, strict=True)}
        )
    summary = pd.DataFrame(cases, columns=pd.Index(CASE)).assign(
        median_us=np.exp(np.median(side.logs, axis=0)), launches_used=len(side.logs), reliable=True, verdict="ok"
    )
    return Rows(summary, launches)
