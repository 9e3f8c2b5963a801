# SPDX-License-Identifier: BSD-3-Clause
"""Synthetic campaigns of real proportions: 17 operations, up to 24 sizes, 4 stacks, 10 launches, 90 runs a row."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from isochron.schemas.engine.contract import BLOCKING
from tests.postprocess.synthetic import STACKS, Spec, write_run


@dataclass(frozen=True)
class Scale:
    """How large: `sizes` of every operation with data at `points` numbers of processes."""

    sizes: int
    points: int


#: About this many million runs.
SCALES = {"0.3": Scale(5, 1), "3": Scale(24, 2), "30": Scale(24, 22)}


def write_scaled(folder: Path, scale: Scale) -> Path:
    """Write the run folder of that size and return it."""
    spec = Spec(
        stacks=list(STACKS)[:4],
        operations=list(BLOCKING),
        sizes=[2**power for power in range(scale.sizes)],
        processes=[4 * (1 + number) for number in range(scale.points)],
        launches=10,
        runs=90,
    )
    folder.mkdir(parents=True)
    return write_run(folder, spec)
