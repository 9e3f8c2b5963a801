# SPDX-License-Identifier: BSD-3-Clause
"""Which stack against which: the newer version of a library against the one before it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pandas as pd

from isochron.postprocess.reading.inputs import CASE, RunInputs


def questions(inputs: RunInputs, comparison: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """(older, newer, their comparisons) for each question that the run has comparisons for.

    `comparison`: `COMPARISON_COLUMNS`; what comes of it are lines of `oriented`.
    """
    table = oriented(comparison)
    for older, newer in _successors(inputs):
        rows = table[(table["other"] == older) & (table["stack"] == newer)]
        if len(rows):
            yield older, newer, rows


def _successors(inputs: RunInputs) -> list[tuple[str, str]]:
    """(older, newer) of neighbouring versions of each library."""
    libraries: dict[str, list[str]] = {}
    for stack, manifest in inputs.manifests.items():
        libraries.setdefault(manifest.mpi_library, []).append(stack)
    return [
        both
        for stacks in libraries.values()
        for both in pairwise(sorted(stacks, key=lambda stack: _number(inputs.manifests[stack].mpi_version)))
        if inputs.manifests[both[0]].mpi_version != inputs.manifests[both[1]].mpi_version
    ]


def oriented(table: pd.DataFrame) -> pd.DataFrame:
    """Every comparison both ways round: `stack` against `other`, `ratio` above 1 where `stack` is slower.

    `table`: `COMPARISON_COLUMNS`.
    """
    columns = [*CASE, "ratio", "ratio_low", "ratio_high", "blocks", "verdict"]
    forth = table[columns].assign(stack=table["candidate"], other=table["baseline"])
    turned = {"faster": "slower", "slower": "faster", "missing": "new", "new": "missing"}
    back = table[columns].assign(
        stack=table["baseline"],
        other=table["candidate"],
        ratio=1 / table["ratio"],
        ratio_low=1 / table["ratio_high"],
        ratio_high=1 / table["ratio_low"],
        verdict=table["verdict"].replace(turned),
    )
    return pd.concat([forth, back], ignore_index=True)


def _number(version: str) -> list[int]:
    """`5.0.11` → [5, 0, 11]."""
    return [int(part) for part in version.split(".") if part.isdigit()]
