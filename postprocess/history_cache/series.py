# SPDX-License-Identifier: BSD-3-Clause
"""The course of a campaign: the values of all rows in all runs as one array, and what is known of their changes.

Kept as `results/.cache/series/<campaign>.npz`: arrays with checksums, none of which can be a program. A run that is
added is looked at alone, since those before it stay judged as they are; where the runs before it are no longer what
they were, all are looked at again.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.common.files import replaced
from isochron.postprocess.history_cache.cache import VERSION, Archive, digest
from isochron.postprocess.reading.inputs import RESULT_KEY
from isochron.schemas.run.layout import RunLayout
from isochron.stats.changes.change_point import Findings, continued
from isochron.stats.changes.search import State
from isochron.stats.launches import Values

#: Texts among RESULT_KEY.
TEXTS = ("stack", "operation", "placement")


@dataclass(frozen=True)
class Course:
    """T runs and S results in order of appearance: RESULT_KEY of each, (T, S) values in µs, NaN if not reliable."""

    rows: pd.DataFrame
    values: Values
    found: Findings


def course(runs: list[RunLayout], archive: Archive, alpha: float) -> Course:
    """The runs are given in order of time. Raises FileError for one without a store."""
    digests = [digest(layout) for layout in runs]
    kept = _read(archive, alpha)
    known = list(kept["digests"]) if kept else []
    if kept is None or not all(known) or known != digests[: len(known)]:
        kept, known = None, []
    rows = _rows(kept) if kept else pd.DataFrame(columns=pd.Index(RESULT_KEY))
    parts: list[tuple[int, NDArray[np.intp], Values]] = []
    run = len(known)
    for frames in archive.values(runs[run:]):
        rows, further = _further(rows, frames)
        parts += [(run + number, *each) for number, each in enumerate(further)]
        run += len(frames)
    values = np.full((len(runs), len(rows)), np.nan)
    if kept:
        old = kept["values"]
        values[: len(old), : old.shape[1]] = old
    for number, series, medians in parts:
        values[number, series] = medians
    groups = _groups(rows)
    goes_on = kept is not None and np.array_equal(_groups(_rows(kept)), groups[: len(kept["stack"])])
    found, state = continued(values, groups, alpha, _state(kept) if kept and goes_on else None)
    if len(known) < len(runs) and all(digests):
        _write(archive, {"alpha": np.array(alpha), "digests": np.array(digests), "values": values}, rows, state)
    return Course(rows, values, found)


def _groups(rows: pd.DataFrame) -> NDArray[np.intp]:
    """The number of each row's stack; where there is one stack, its rows in turn: what both halves share, all share."""
    stacks = rows["stack"].factorize()[0]
    return np.asarray(stacks if stacks.any() else np.arange(len(rows)) % 2, dtype=np.intp)


def _further(rows: pd.DataFrame, frames: list[pd.DataFrame]) -> tuple[pd.DataFrame, list[tuple[Any, Values]]]:
    """`RESULT_KEY` of all series with those of further runs; of each run the numbers and values of its series."""
    reliable = [frame[frame["reliable"].to_numpy(dtype=bool)] for frame in frames]
    every = pd.concat([*([rows] if len(rows) else []), *(frame[RESULT_KEY] for frame in reliable)], ignore_index=True)
    series = every.groupby(RESULT_KEY, sort=False).ngroup().to_numpy()
    ends = np.cumsum([len(rows), *map(len, reliable)])
    numbers = np.split(series, ends[:-1])[1:]
    medians = [frame["median_us"].to_numpy(dtype=np.float64) for frame in reliable]
    return every.drop_duplicates(ignore_index=True), list(zip(numbers, medians, strict=True))


def _read(archive: Archive, alpha: float) -> Mapping[str, Any] | None:
    """What was kept; None where there is nothing, or nothing of this version, or it is damaged."""
    if archive.course is None or not archive.course.is_file():
        return None
    with suppress(OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        with np.load(archive.course, allow_pickle=False) as file:
            kept = {name: file[name] for name in file.files}
        shape = (len(kept["digests"]), len(kept["stack"]))
        if int(kept["version"]) == VERSION and float(kept["alpha"]) == alpha and kept["values"].shape == shape:
            return kept
    return None


def _rows(kept: Mapping[str, Any]) -> pd.DataFrame:
    return pd.DataFrame({name: kept[name].astype(object) if name in TEXTS else kept[name] for name in RESULT_KEY})


def _state(kept: Mapping[str, Any]) -> State:
    return {name.removeprefix("state_"): each for name, each in kept.items() if name.startswith("state_")}


def _write(archive: Archive, own: dict[str, Any], rows: pd.DataFrame, state: State) -> None:
    """Keep it where that is possible: the folder may be read-only, or full."""
    if archive.course is None:
        return
    arrays: dict[str, Any] = {
        "version": np.array(VERSION),
        **own,
        **{name: rows[name].to_numpy(dtype=str if name in TEXTS else np.int64) for name in RESULT_KEY},
        **{f"state_{name}": each for name, each in state.items()},
    }
    with suppress(OSError), replaced(archive.course) as partial, partial.open("wb") as stream:
        np.savez(stream, **arrays)
