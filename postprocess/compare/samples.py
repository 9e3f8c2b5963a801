# SPDX-License-Identifier: BSD-3-Clause
"""Rows as a comparison sees them: the runs of their launches by block, and bootstrap replicates of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from isochron.postprocess.reading.inputs import ALLOCATION, ROW
from isochron.postprocess.statistics.bootstrap import Matrix, bootstrap_medians
from isochron.postprocess.statistics.launches import Values

#: Bootstrap replicates of each row.
REPLICATES = 2000

Key = tuple[Any, ...]
#: Number and attempt: a block that was taken up again has a second allocation, which is a block of its own.
Block = tuple[int, int]
#: Valid runs (µs) of each launch, by block.
Launches = dict[Block, list[Values]]


@dataclass(frozen=True)
class Sample:
    """A row: its launches, and whether its value can be believed. Its random numbers depend on `seed` only."""

    launches: Launches
    believed: bool
    verdict: str
    seed: tuple[int, ...] = ()

    @cached_property
    def by_block(self) -> dict[Block, Values]:
        """Launch medians in µs, by block."""
        return {
            block: np.array([np.median(runs) for runs in launches]) for block, launches in sorted(self.launches.items())
        }

    @cached_property
    def medians(self) -> Values:
        """All launch medians, shape (L,)."""
        return np.concatenate([np.empty(0), *self.by_block.values()])

    @property
    def value(self) -> float:
        """Median of the launch medians in µs, NaN where there is none."""
        return float(np.median(self.medians)) if self.measured else float("nan")

    @property
    def measured(self) -> bool:
        """Whether there is anything to compare."""
        return bool(self.launches)

    @cached_property
    def replicates(self) -> Values:
        """Of the value, as if all launches had been independent. Shape (REPLICATES,)."""
        launches = [runs for _, block in sorted(self.launches.items()) for runs in block]
        return bootstrap_medians(launches, REPLICATES, np.random.default_rng(self.seed))

    def values(self, blocks: Sequence[Block]) -> Values:
        """The median of the launch medians in each of the blocks, shape (blocks,)."""
        return np.array([np.median(self.by_block[block]) for block in blocks])

    def block_replicates(self, blocks: Sequence[Block]) -> Matrix:
        """Replicates of `values`: launches drawn again within each block. Shape (REPLICATES, blocks)."""
        return np.stack([self._of_blocks[block] for block in blocks], axis=1)

    @cached_property
    def _of_blocks(self) -> dict[Block, Values]:
        return {
            block: bootstrap_medians(launches, REPLICATES, np.random.default_rng([*self.seed, *block]))
            for block, launches in self.launches.items()
        }


#: A row that was not even planned.
ABSENT = Sample({}, False, "missing")


def sample(key: Key, launches: Launches, believed: bool, verdict: str, seed: int) -> Sample:
    """The sample of the row `key`. Rows may come in any order without a change of any number."""
    return Sample(launches, believed, verdict, (seed, crc32(repr(key).encode())))


def launch_runs(rows: pd.DataFrame, runs: Mapping[tuple[str, int], Values]) -> dict[Key, Launches]:
    """Runs (µs) that started in time, of each usable launch, by ROW and block.

    `rows`: usable rows of one operation joined with their launches; `runs`: of the operation, by launch_id
    and bytes.
    """
    by_row: dict[Key, Launches] = {}
    for *row, block, attempt, launch in rows[[*ROW, *ALLOCATION, "launch_id"]].itertuples(index=False, name=None):
        times = runs.get((launch, row[2]))
        if times is not None and len(times):
            by_row.setdefault(tuple(row), {}).setdefault((block, attempt), []).append(times)
    return by_row
