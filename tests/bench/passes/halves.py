# SPDX-License-Identifier: BSD-3-Clause
"""Whether launches are as well known as they say: halves of a launch against each other, and its last pass foretold.

python -m tests.bench.passes.halves results/demo/latest
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import stats

from isochron.schemas.run.launch_file import read_launch
from isochron.schemas.run.records import Measurement

Array = npt.NDArray[np.float64]

#: With fewer passes a half has less than three.
FEWEST = 6
#: At least this share of the runs in one pass: where an engine adds all further runs to the last pass.
HEAVY = 0.5


def passes_of(row: Measurement) -> list[Array]:
    """The times (ns) of each pass over the row that started in time; of passes that have some."""
    times, in_time = np.array(row.time_ns, dtype=float), np.array(row.in_time, dtype=bool)
    ends = np.cumsum(row.pass_reps)[:-1]
    parts = zip(np.split(times, ends), np.split(in_time, ends), strict=True)
    return [own[counts] for own, counts in parts if counts.any()]


def passes_agree(left: list[Array], right: list[Array]) -> bool:
    """Whether the medians of some passes and of others lie within their joint 95 % interval (Student)."""
    return _within(stats.ttest_ind(*([np.median(own) for own in part] for part in (left, right))))


def runs_agree(left: list[Array], right: list[Array]) -> bool:
    """The same of their single runs, trimmed by a quarter (Yuen 1974): as if passes did not matter."""
    return _within(stats.ttest_ind(np.concatenate(left), np.concatenate(right), equal_var=False, trim=0.25))


def foretold(passes: list[Array]) -> bool:
    """Whether the median of the last pass lies in the 95 % interval for one more pass that those before it give."""
    *before, last = (float(np.median(own)) for own in passes)
    count = len(before)
    error = np.std(before, ddof=1) * np.sqrt(1 + 1 / count)
    return bool(abs(last - np.mean(before)) <= stats.t.ppf(0.975, count - 1) * error)


def _within(found: object) -> bool:
    p = float(getattr(found, "pvalue", np.nan))
    return np.isnan(p) or p >= 0.05  # no number: all values are the same


def figures(rows: Iterable[Measurement]) -> str:
    """What the rows of launches show, as a table in Markdown."""
    groups: dict[str, list[list[Array]]] = {"all": [], "half of the runs in one pass": [], "others": []}
    for row in rows:
        passes = passes_of(row) if row.pass_reps else []
        if len(passes) >= FEWEST:
            heavy = max(row.pass_reps) >= HEAVY * sum(row.pass_reps)
            groups["all"].append(passes)
            groups["half of the runs in one pass" if heavy else "others"].append(passes)
    lines = [
        "| rows | | passes | odd and even passes agree | both halves | by runs | last pass foretold |",
        "|---" * 7 + "|",
    ]
    for name, group in groups.items():
        if not group:
            continue
        halves = [(own[: len(own) // 2], own[len(own) // 2 :]) for own in group]
        shares = (
            np.mean([passes_agree(own[::2], own[1::2]) for own in group]),
            np.mean([passes_agree(*both) for both in halves]),
            np.mean([runs_agree(*both) for both in halves]),
            np.mean([foretold(own) for own in group]),
        )
        number = np.mean([len(own) for own in group])
        lines.append(
            f"| {name} | {len(group)} | {number:.1f} | " + " | ".join(f"{share:.1%}" for share in shares) + " |"
        )
    return "\n".join(lines)


def stored(run_folder: Path) -> Iterable[Measurement]:
    """The rows of all launches of a stored run."""
    for path in sorted((run_folder / "launches").glob("*.jsonl*")):
        yield from read_launch(path).measurements


if __name__ == "__main__":
    print(figures(stored(Path(sys.argv[1]))))
