# SPDX-License-Identifier: BSD-3-Clause
"""Stacks whose configuration changed between the runs of a campaign under one name, with the library as it was.

All values of one stack shift while those of the other stacks of these runs do not: neither a slow night nor a library.
Runs are here what jobs are in one run (`values/job_changes`): at least two, with four stacks.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.history_cache.cache import Archive
from isochron.postprocess.estimate.history_cache.facts import facts_of_all
from isochron.postprocess.estimate.values.job_changes import SERIES, job_changes
from isochron.schemas.run.layout import RunLayout
from isochron.stats.launches import Values

#: Runs that are compared with each other, those before a change among them: the more, the less each of them shows.
TOGETHER, BEFORE = 7, 4
#: Kinds of facts that make a change one of the library.
OF_LIBRARY = ("library", "lock", "compiler", "engine")
#: Columns of the changes.
COLUMNS = ["stack", "longer", "shorter", "ratio", "sizes"]


def changed_configurations(rows: pd.DataFrame, values: Values, at: Iterable[int] = ()) -> pd.DataFrame:
    """`COLUMNS`, a line for each stack and split of the runs; `longer`, `shorter`: numbers of runs.

    `rows`: RESULT_KEY of S series; `values`: (T, S) in µs, NaN if not reliable. The newest runs are compared, and those
    about each run of `at`, with which values of a row changed. `ratio`: the largest of operations.
    """
    last = max(0, len(values) - TOGETHER)
    starts = sorted({last, *(min(last, max(0, run - BEFORE)) for run in at)})
    frames = [_within(rows, values, start) for start in starts]
    lines = pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)
    begins = [_begin(*ends) for ends in lines[["longer", "shorter"]].itertuples(index=False, name=None)]
    return lines[~lines.assign(begin=begins).duplicated(["stack", "begin"]).to_numpy(dtype=bool)]


def _within(rows: pd.DataFrame, values: Values, first: int) -> pd.DataFrame:
    """The same of `TOGETHER` runs from the first."""
    run, series = np.nonzero(np.isfinite(values[first : first + TOGETHER]))
    launches = rows.iloc[series][["stack", *SERIES, "bytes"]].reset_index(drop=True)
    launches = launches.assign(job=(first + run).astype(str), value_us=values[first + run, series])
    changes = job_changes(launches)
    ends = ["longer_in", "shorter_in"]
    lines = [
        (
            str(part["stack"].iloc[0]),
            *(tuple(map(int, str(part[name].iloc[0]).split())) for name in ends),
            part["ratio"].max(),
            part["sizes"].sum(),
        )
        for _, part in changes.groupby(["stack", *ends], sort=False)
    ]
    return pd.DataFrame(lines, columns=pd.Index(COLUMNS))


def configuration_sentences(
    runs: list[RunLayout], rows: pd.DataFrame, values: Values, at: Iterable[int], archive: Archive
) -> list[tuple[int, str]]:
    """A sentence for each of `changed_configurations` of runs that have the same library, with the number of its run.

    `rows`, `values`, `at`: as there. Raises FileError.
    """
    changes = changed_configurations(rows, values, at)
    if not len(changes):
        return []
    facts, names = facts_of_all(runs, archive), [run.run_id for run in runs]
    sentences = []
    for stack, longer, shorter, ratio, sizes in changes.itertuples(index=False, name=None):
        of_library = [
            {key: words for key, words in facts[run].items() if key[0] in OF_LIBRARY and key[1] == stack}
            for run in (*longer, *shorter)
        ]
        if all(each == of_library[0] for each in of_library):
            cases = f"{sizes} case{'s' if sizes > 1 else ''}"
            begin = _begin(longer, shorter)
            times = f"{ratio if begin in longer else 1 / ratio:.3g} times as long"
            text = (
                f"changed configuration, not a job and not a library: {stack} takes up to {times} "
                f"{_when(longer, shorter, names)}, in {cases}; the other stacks do not, and its library is the same"
            )
            sentences.append((begin, text))
    return sentences


def _begin(longer: tuple[int, ...], shorter: tuple[int, ...]) -> int:
    """The run from which on one of the groups is alone; if none is, the first run of the smaller one."""
    earlier, later = sorted((longer, shorter), key=max)
    return later[0] if min(later) > max(earlier) else min(longer, shorter, key=len)[0]


def _when(longer: tuple[int, ...], shorter: tuple[int, ...], names: list[str]) -> str:
    """`from RUN on`, or in which runs."""
    earlier, later = sorted((longer, shorter), key=max)
    if min(later) > max(earlier):
        return f"from {names[later[0]]} on{' (that run only: unconfirmed)' if len(later) == 1 else ''}"
    return f"in {', '.join(names[run] for run in min(longer, shorter, key=len))} alone"
