# SPDX-License-Identifier: BSD-3-Clause
"""Published results of NPB, and a run's own beside them."""

from __future__ import annotations

from math import isinf, nan
from pathlib import Path
from typing import Any

import pandas as pd

from isochron.common.files import FileError
from isochron.postprocess.programs.npb import processors
from isochron.postprocess.reading.inputs import RunInputs
from isochron.schemas.input.programs import load_program_reference, program_reference_path

#: What both sides have in common.
CASE = ["kernel", "npb_class", "processes_per_node", "processes"]

#: Columns of `npb-published.csv`. Nothing is tested: launches of two machines cannot be exchanged.
NPB_BESIDE_COLUMNS = {
    "machine": "the other machine: title of the reference",
    "stack": "stack of this run; empty: only the other machine has the case",
    "placement": "how processes were placed on the nodes here",
    "kernel": "kernel of NPB",
    "npb_class": "problem class",
    "processes_per_node": "processes on each node",
    "processes": "processes of the launch",
    "this_seconds": "time here; empty: not measured, or printed as 0.00",
    "this_mops_total": "10⁶ operations a second here",
    "this_mops_per_processor": "the same per processor, as `npb.csv` has it",
    "this_speed_up": "speed-up here",
    "other_launches": "published launches of the case",
    "other_seconds": "their time: median over these",
    "other_seconds_min": "least of them",
    "other_seconds_max": "greatest of them",
    "other_mops_total": "their rate: median",
    "other_mops_per_processor": "the same per processor, by the same rule",
    "other_speed_up": "their rate over that of their one process",
    "ratio": "ours / theirs, of the times: the work is the same, so it is their rate over ours; below 1 we take less",
}


def published(path: Path) -> tuple[str, pd.DataFrame]:
    """Title of a reference, and a row for each of its cases: CASE, launches, medians and range. Raises FileError."""
    reference, lines = load_program_reference(path)
    columns, rows = reference.columns, []
    for number, line in enumerate(lines, start=1):
        where = f"{path.parent / reference.data}: row {number}"
        rows.append(
            {
                "kernel": line[columns.kernel],
                "npb_class": line[columns.npb_class],
                "processes_per_node": _whole(line[columns.processes_per_node], reference.words, where),
                "processes": _whole(line[columns.processes], reference.words, where),
                "seconds": _real(line[columns.seconds], where),
                "mops_total": _real(line[columns.mops_total], where),
            }
        )
    table = pd.DataFrame(rows).groupby(CASE, sort=False, as_index=False).agg(
        launches=("seconds", "size"),
        seconds=("seconds", "median"),
        least=("seconds", "min"),
        most=("seconds", "max"),
        mops_total=("mops_total", "median"),
    )  # fmt: skip
    return reference.title, _with_rates(pd.DataFrame(table))


def _with_rates(table: pd.DataFrame) -> pd.DataFrame:
    """The rate per processor, and the speed-up over one process of the same kernel and class."""
    one = table[table["processes"] == 1].drop_duplicates(CASE[:2]).set_index(CASE[:2])["mops_total"]
    base = [one.get(key, nan) for key in zip(table["kernel"], table["npb_class"], strict=True)]
    counts = [processors(*pair) for pair in zip(table["processes"], table["processes_per_node"], strict=True)]
    return table.assign(mops_per_processor=table["mops_total"] / counts, speed_up=table["mops_total"] / base)


def _whole(text: str, words: dict[str, int], where: str) -> int:
    if text in words:
        return words[text]
    if not (text.isascii() and text.isdigit()):
        raise FileError(f"{where}: {text!r} is no whole number; write one, or list the word under `words`")
    return int(text)


def _real(text: str, where: str) -> float:
    """A number above 0; nan for an empty cell."""
    try:
        value = float(text) if text.strip() else nan
    except ValueError:
        value = -1.0
    if value <= 0 or isinf(value):
        raise FileError(f"{where}: {text!r} is no time or rate; write a number above 0, or leave the cell empty")
    return value


def beside_published(own: pd.DataFrame, inputs: RunInputs) -> pd.DataFrame:
    """`NPB_BESIDE_COLUMNS` of each reference in `programs.npb.compare_with`. `own`: `NPB_COLUMNS`. Raises FileError."""
    words = inputs.campaign.npb.compare_with if inputs.campaign.npb is not None else []
    tables = [_beside(own, *published(program_reference_path(word))) for word in words]
    if not tables:
        return pd.DataFrame(columns=list(NPB_BESIDE_COLUMNS))
    return pd.concat(tables, ignore_index=True)[list(NPB_BESIDE_COLUMNS)]


def _beside(own: pd.DataFrame, title: str, theirs: pd.DataFrame) -> pd.DataFrame:
    """An outer join over the kernels and classes that this run has."""
    names = ("seconds", "mops_total", "mops_per_processor", "speed_up")
    ours = own[[*CASE, "stack", "placement", *names]].rename(columns={name: f"this_{name}" for name in names})
    keys: Any = own.set_index(CASE[:2]).index
    known = theirs[theirs.set_index(CASE[:2]).index.isin(keys)]
    known = known.rename(columns={name: f"other_{name}" for name in (*names, "launches")})
    known = known.rename(columns={"least": "other_seconds_min", "most": "other_seconds_max"})
    table = ours.merge(known, on=CASE, how="outer")
    ratio = (table["other_mops_total"] / table["this_mops_total"]).fillna(
        table["this_seconds"] / table["other_seconds"]
    )
    place = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    order = [place[key] for key in zip(table["kernel"], table["npb_class"], strict=True)]
    table = table.assign(machine=title, ratio=ratio, order=order)
    return table.sort_values(["order", "processes_per_node", "processes", "stack"], kind="stable")
