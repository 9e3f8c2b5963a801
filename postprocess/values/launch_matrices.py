# SPDX-License-Identifier: BSD-3-Clause
"""The launches of rows as matrices: rows that the same launches measured stand together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.postprocess.reading.inputs import ALLOCATION, POINT, RESULT_KEY
from isochron.postprocess.values.probes import PROBES
from isochron.stats.launches import matched_columns
from isochron.stats.multiple_tests import Matrix


@dataclass(frozen=True)
class LaunchMatrix:
    """C rows of the summary, by their places in it, that the same U launches measured, in order of time.

    `logs`: logarithms of the launch medians, (U, C); `blocks`: (U,), numbers of the allocations; `probes`: logarithms
    of what each of `PROBES` read beside them, (K, U, C), NaN where nothing was read, K = 0 if no probes were read.
    """

    rows: NDArray[np.intp]
    logs: Matrix
    blocks: NDArray[np.int64]
    probes: Matrix


def together(summary: pd.DataFrame, used: pd.DataFrame) -> Iterator[LaunchMatrix]:
    """`summary`: RESULT_KEY; `used`: their usable rows, with ALLOCATION, launch_id, median_us and, if read, `PROBES`.

    Times of 0 are left out: they have no logarithm.
    """
    names = ["median_us", *(name for name in PROBES if name in used)]
    place = pd.MultiIndex.from_frame(summary[RESULT_KEY])
    timed = used[used["median_us"] > 0]
    timed = timed.assign(row=place.get_indexer(pd.MultiIndex.from_frame(timed[RESULT_KEY])))
    for _, group in timed.groupby(["stack", *POINT], sort=False):
        wide = group.pivot(index=[*ALLOCATION, "launch_id"], columns="row", values=names)
        values, *probes = (np.log(wide[name].to_numpy(dtype=np.float64)) for name in names)
        blocks = np.asarray(wide.index.to_frame(index=False).groupby(ALLOCATION).ngroup(), dtype=np.int64)
        rows = wide["median_us"].columns.to_numpy(dtype=np.intp)
        read = np.stack(probes) if probes else np.empty((0, *values.shape))
        for own, launches in matched_columns(~np.isnan(values)):
            at = np.ix_(launches, own)
            yield LaunchMatrix(rows[own], values[at], blocks[launches], read[:, at[0], at[1]])
