# SPDX-License-Identifier: BSD-3-Clause
"""The price of what is inconclusive: the blocks that are likely to settle it, and the minutes that they take."""

from collections.abc import Iterable
from math import inf

import numpy as np
import pandas as pd
from scipy.special import ndtri

from isochron.postprocess.ingest.inputs import ALLOCATION, POINT
from isochron.schemas.run.plan import Plan
from isochron.stats.launches import Values

#: Blocks beyond which a case is not worth settling.
MAX_BLOCKS = 100
#: Seconds that the start and end of `mpiexec` add to what the engine itself measured.
LAUNCHER_S = 1.0


def stricter(confidence: float, tests: int) -> float:
    """By which factor a difference must be larger to be established among so many tests than to leave its interval."""
    return float(ndtri(1 - (1 - confidence) / max(tests, 2)) / ndtri((1 + confidence) / 2))


def blocks_to_settle(rows: pd.DataFrame, beyond: Values, strict: float) -> Values:
    """Blocks with which each of the rows is likely to be settled; infinite if nothing is known.

    An interval shrinks with the root of the number of blocks. A row is settled when its interval no longer contains the
    edge that matters; where it is to be shown beyond it, `strict` (`stricter`) times the interval. It is open now, so
    it takes one block more at least. `rows`: ratio, ratio_low, ratio_high, blocks; `beyond`: by how much each ratio is
    beyond that edge, as logarithms, negative if it is not.
    """
    ratio, low, high = (rows[name].to_numpy(dtype=np.float64) for name in ("ratio", "ratio_low", "ratio_high"))
    blocks = rows["blocks"].to_numpy(dtype=np.float64)
    with np.errstate(all="ignore"):
        half = np.maximum(np.log(high / ratio), np.log(ratio / low)) * np.where(beyond > 0, strict, 1.0)
        needed = np.ceil(blocks * (half / beyond) ** 2)
    known = (low > 0) & (low <= ratio) & (ratio <= high) & (high < inf) & (beyond != 0)
    return np.where(known, np.maximum(blocks + 1, needed), inf)


def launches_of_a_block(plan: Plan, launches: pd.DataFrame, stacks: Iterable[str]) -> tuple[int, float]:
    """The launches of some stacks in one block at every point, and the minutes that these take, by those of this run.

    Launches of a session measure in turns, so that it lasts as long as the longest of them; all others follow each
    other. `launches`: of the store.
    """
    planned = {each.file: each.session or each.name for each in plan.launches if each.of_results}
    counted = launches[launches["file"].isin(planned.keys()) & launches["stack"].isin(list(stacks))]
    sessions = counted.assign(session=counted["file"].map(planned)).groupby([*POINT, *ALLOCATION, "session"])
    measured = sessions["duration_s"].agg(["max", "size"])
    blocks = measured.groupby([*POINT, *ALLOCATION]).sum()
    usual = blocks.groupby(POINT).median()
    seconds = usual["max"] + LAUNCHER_S * usual["size"]
    return round(float(usual["size"].sum())), float(seconds.sum()) / 60
