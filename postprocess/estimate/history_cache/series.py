# SPDX-License-Identifier: BSD-3-Clause
"""The series of each result over the runs of a campaign, and the level changes to report.

Saved as `results/.cache/series/<campaign>.npz`: arrays with checksums, none of which can be a program. If a run is
added, only this run is read, since the judgement of earlier ones does not change; if earlier runs are no longer what
they were, all are read again.
"""

import warnings
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.common.files import replaced
from isochron.postprocess.estimate.history_cache.cache import VERSION, Archive, digest
from isochron.postprocess.ingest.inputs import CASE, RESULT_KEY
from isochron.schemas.run.layout import RunLayout
from isochron.stats.changes.change_point import Findings, continued
from isochron.stats.changes.search import Changes, State
from isochron.stats.launches import Values

#: Texts among RESULT_KEY.
TEXTS = ("stack", "operation", "placement")


@dataclass(frozen=True)
class CampaignSeries:
    """T runs and S results in order of appearance: RESULT_KEY of each, (T, S) values in µs, NaN if not reliable."""

    rows: pd.DataFrame
    values: Values
    found: Findings


def course(runs: list[RunLayout], archive: Archive, alpha: float) -> CampaignSeries:
    """The runs are given in order of time. Raises FileError for one without a store."""
    digests = [digest(layout) for layout in runs]
    kept = _read(archive, alpha)
    saved_digests = list(kept["digests"]) if kept else []
    if kept is None or not all(saved_digests) or saved_digests != digests[: len(saved_digests)]:
        kept, saved_digests = None, []
    rows = _rows(kept) if kept else pd.DataFrame(columns=pd.Index(RESULT_KEY))
    parts: list[tuple[int, NDArray[np.intp], Values]] = []
    run = len(saved_digests)
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
    changes, state = continued(values, groups, alpha, _state(kept) if kept and goes_on else None)
    if len(saved_digests) < len(runs) and all(digests):
        _write(archive, {"alpha": np.array(alpha), "digests": np.array(digests), "values": values}, rows, state)
    return CampaignSeries(rows, values, changes)


def _groups(rows: pd.DataFrame) -> NDArray[np.intp]:
    """The number of each row's stack; if there is one stack, its rows in turn: what both halves share, all share."""
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
    """What was kept; None if there is nothing, or nothing of this version, or it is damaged."""
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


def _write(archive: Archive, series_arrays: dict[str, Any], rows: pd.DataFrame, state: State) -> None:
    """Keep it if that is possible: the folder may be read-only, or full."""
    if archive.course is None:
        return
    arrays: dict[str, Any] = {
        "version": np.array(VERSION),
        **series_arrays,
        **{name: rows[name].to_numpy(dtype=str if name in TEXTS else np.int64) for name in RESULT_KEY},
        **{f"state_{name}": each for name, each in state.items()},
    }
    with suppress(OSError), replaced(archive.course) as partial, partial.open("wb") as stream:
        np.savez(stream, **arrays)


#: Columns of a change.
CHANGE = {
    "runs": "runs in which the row is reliable",
    "needed": "runs that the row still needs before a change can be found",
    "changed_at": "first of these runs on the level that this run is on; empty before the first change",
    "found_at": "the run with which this change was found; empty where it is unconfirmed",
    "delay": "runs of the row from `changed_at` to `found_at`: 2 where the first two runs on the new level were enough",
    "before_us": "median of the values on the level before",
    "after_us": "median of the values on the new level",
    "ratio": "after / before",
    "p_value": "p value of the change when it was found, for this row, place and run alone",
    "p_holm": "the same, corrected for all rows, places and runs; of what is unconfirmed, for all rows of this run",
    "verdict": "`slower`, `faster`: by the last change up to this run; `unchanged`: none beyond the threshold; "
    "`unconfirmed`: the newest run is off, and a further one has to show whether that lasts; `too-few-runs`: the row "
    "has fewer than seven; of the machine also `night`: one run was off",
    "whose": "`machine`: in this case all stacks moved to the same side at the same time, each at least half as far: "
    "the job or the machine, no library; `stack`: others did not; `either`: there is no other stack to tell the two "
    "apart; empty where nothing changed, and of what is unconfirmed where others did not",
}
#: What stands for a stack where all of them are meant.
MACHINE = "(all stacks)"
#: Runs between which changes of several stacks are taken for one.
CLOSE = 2
#: Share of a change (logarithm) that every other stack has to have of it, if it is not the stack's own.
ALIKE = 0.5
#: Share of what a row moved beyond all stacks that it moved itself, at least, if it is told to have moved.
LEAST_OF = 0.25
#: Runs before a change whose median its stacks are compared with; after it those up to the one that has shown it.
RECENT_RUNS = 8
NUMBERS = ["series", "run", "found"]
LINE = pd.Index([*NUMBERS, "delay", "before_us", "after_us", "ratio", "p_value", "p_holm", "verdict"])


def row_lines(values: Values, rows: pd.DataFrame, findings: Findings, least: float) -> pd.DataFrame:
    """The changes between levels of which one is at least `least` times the other, and newest values as far away.

    `values`: (runs, series) in µs; `rows`: RESULT_KEY of each series. A change of the machine is one of each row.
    """
    lines: list[tuple[Any, ...]] = []
    by_row: dict[int, list[Changes]] = {}
    for step in (Changes(*each) for each in zip(*findings.changes, strict=True)):
        if _has_moved(values[:, int(step.series)], findings.shared, int(step.run), int(step.found)):
            by_row.setdefault(int(step.series), []).append(step)
    last = len(values) - 1
    singles = [each for each in zip(*findings.singles, strict=True) if each[1] == last]
    newest = {int(each[0]): each[1:] for each in singles if _has_moved(values[:, each[0]], findings.shared, last, last)}
    shared = [Changes(*each) for each in zip(*findings.machine, strict=True)]
    for number in sorted({*by_row, *newest, *(range(values.shape[1]) if shared else ())}):
        steps = _steps(values[:, number], [*shared, *by_row.get(number, [])])
        lines += _told(values[:, number], number, steps, least)
        if number in newest:
            lines += _unconfirmed(values[:, number], number, steps, least, newest[number])
    levels = pd.DataFrame(lines, columns=LINE).astype(dict.fromkeys(NUMBERS, np.intp))
    return levels.assign(whose=_whose(levels, rows, values))


def machine_lines(findings: Findings, least: float) -> pd.DataFrame:
    """The same of what all stacks share, and single runs of it that were far from its level, which stay told."""
    shared, number = np.exp(findings.shared), len(findings.shared)
    steps = [Changes(*each) for each in zip(*findings.machine, strict=True)]
    lines = _told(shared, 0, steps, least)
    for _, run, p_value, adjusted in zip(*findings.nights, strict=True):
        lasting = any(step.run <= run <= step.found for step in steps)
        since = max((int(step.run) for step in steps if step.run <= run), default=0)
        until = min((int(step.run) for step in steps if step.run > run), default=number)
        ratio = shared[run] / np.nanmedian(shared[since:until])
        if not lasting and max(ratio, 1 / ratio) >= least:
            verdict = "unconfirmed" if run == number - 1 else "night"
            lines.append((0, run, run, 1, np.nan, np.nan, ratio, p_value, adjusted, verdict))
    levels = pd.DataFrame(lines, columns=LINE).astype(dict.fromkeys(NUMBERS, np.intp))
    return levels.assign(before_us=np.nan, after_us=np.nan, whose="machine").sort_values("run", ignore_index=True)


def _steps(values: Values, changes: list[Changes]) -> list[Changes]:
    """The changes between which a row has values, the earliest first; of two with one run the last given."""
    steps = {int(step.run): step for step in changes}
    kept_steps, last = [], 0
    for run in sorted(steps):
        if np.isfinite(values[last:run]).any() and np.isfinite(values[run:]).any():
            kept_steps.append(steps[run])
            last = run
    return kept_steps


def _told(values: Values, number: int, steps: list[Changes], least: float) -> list[tuple[Any, ...]]:
    """The lines of a series: of changes that add up to `least` since the level that was told last."""
    starts = [0, *(int(step.run) for step in steps), len(values)]
    levels = [float(np.nanmedian(values[start:end])) for start, end in pairwise(starts)] if steps else []
    lines, before = [], levels[0] if levels else np.nan
    for step, after in zip(steps, levels[1:], strict=True):
        ratio = after / before
        if max(ratio, 1 / ratio) >= least:
            run, seen = int(step.run), int(step.found)
            delay = int(np.isfinite(values[run : seen + 1]).sum())
            verdict = "slower" if ratio > 1 else "faster"
            lines.append((number, run, seen, delay, before, after, ratio, step.p_value, step.adjusted, verdict))
            before = after
    return lines


def _unconfirmed(
    values: Values, number: int, steps: list[Changes], least: float, single: tuple[Any, ...]
) -> list[tuple[Any, ...]]:
    """The line of a newest value that is so far from its level; none if that level was found with it."""
    run, p_value, adjusted = single
    if steps and int(steps[-1].found) >= run:
        return []
    since = int(steps[-1].run) if steps else 0
    level = float(np.nanmedian(values[since:run]))
    ratio = values[run] / level
    line = (number, run, run, 1, level, values[run], ratio, p_value, adjusted, "unconfirmed")
    return [line] if max(ratio, 1 / ratio) >= least else []


def _has_moved(values: Values, shared: Values, run: int, found: int) -> bool:
    """Whether a row itself moved from `run` to `found`, at least by `LEAST_OF` of what is left without what all share.

    If not, it only had no part in what all stacks share, as large messages in a job that is slow in small ones.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # medians of nothing are NaN
        before, after = slice(max(0, run - RECENT_RUNS), run), slice(run, found + 1)
        moved = float(np.log(np.nanmedian(values[after]) / np.nanmedian(values[before])))
        beyond = moved - float(np.nanmedian(shared[after]) - np.nanmedian(shared[before]))
    return not np.sign(beyond) * moved < LEAST_OF * abs(beyond)


def _whose(levels: pd.DataFrame, rows: pd.DataFrame, values: Values) -> list[str]:
    """Of each line whether all stacks of its case changed alike: as lines of their own, or in their values."""
    cases = rows.groupby(CASE, sort=False).ngroup().to_numpy()
    stacks = rows.groupby(CASE, sort=False)["stack"].transform("nunique").to_numpy()
    lines = levels[["series", "run", "verdict"]].assign(case=cases[levels["series"]], line=np.arange(len(levels)))
    alike = lines.merge(lines, on=["case", "verdict"], suffixes=("", "_other"))
    alike = alike[(alike["run"] - alike["run_other"]).abs() <= CLOSE]
    together = alike.groupby("line")["series_other"].nunique().reindex(lines["line"], fill_value=0).to_numpy()
    several = stacks[levels["series"]]
    single = (levels["verdict"] == "unconfirmed").to_numpy()
    shared = (together >= several) & ~single
    columns, since = pd.Series(np.arange(len(cases))).groupby(cases).indices, _since(levels)
    for line in np.flatnonzero((several > 1) & ~shared):
        run, found, moved = (levels[name].iloc[line] for name in ("run", "found", "ratio"))
        before = slice(max(since[line], run - RECENT_RUNS), run)
        of_case = values[:, columns[int(lines["case"].iloc[line])]]
        shared[line] = _all_moved(of_case[before], of_case[run : found + 1], float(np.log(moved)))
    owners = np.select([several < 2, shared], ["either", "machine"], "stack")
    return list(np.where(single & (owners != "machine"), "", owners))


def _since(levels: pd.DataFrame) -> NDArray[np.intp]:
    """Of each line the run of the line before of its series; 0 if there is none."""
    series, run = levels["series"].to_numpy(dtype=np.intp), levels["run"].to_numpy(dtype=np.intp)
    order = np.lexsort((run, series))
    before, after = order[:-1], order[1:]
    same = series[before] == series[after]
    since = np.zeros_like(run)
    since[after[same]] = run[before[same]]
    return since


def _all_moved(before: Values, after: Values, moved: float) -> bool:
    """Whether all stacks of a case moved to the side of a line, each by `ALIKE` of it.

    `before`, `after`: (runs, stacks); `moved`: logarithm of the line's ratio.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # medians of nothing are NaN
        steps = np.log(np.nanmedian(after, axis=0) / np.nanmedian(before, axis=0))
    known = steps[np.isfinite(steps)]
    return len(known) > 1 and bool((np.sign(moved) * known >= ALIKE * abs(moved)).all())
