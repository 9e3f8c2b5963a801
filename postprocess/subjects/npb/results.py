# SPDX-License-Identifier: BSD-3-Clause
"""Results of NPB by kernel, class, processes and placement, and published ones compared with them.

The report of 2001 (NPB 2.3 on the 16-node SCI cluster EKSS-1) divides the rate by processors: with two processes a
node, total / (2·⌈p/2⌉), as a half empty node is counted in full; of one process it is the total.
"""

from collections import Counter
from math import isinf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.common.files import FileError
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.schemas.input.programs import load_program_reference, program_reference_path
from isochron.stats.launches import median_interval

#: What a row is, and the part of it that speed-ups hold fixed.
NPB_CASE = ["stack", "kernel", "npb_class", "placement", "processes_per_node", "processes"]
CURVE = NPB_CASE[:4]

#: Columns of `npb.csv`.
NPB_COLUMNS = {
    "stack": "MPI stack",
    "kernel": "kernel of NPB",
    "npb_class": "problem class: S, W, A, B or C",
    "placement": "how processes were placed on the nodes",
    "processes_per_node": "processes on each node",
    "processes": "processes of the launch",
    "launches_planned": "planned launches",
    "launches": "accepted launches: those whose result the program itself has verified",
    "seconds": "time as printed (two decimals), median over launches; empty where it is always printed as 0.00",
    "seconds_low": "lower end of its exact interval; of few launches the least",
    "seconds_high": "upper end of it; of few launches the greatest",
    "mops_total": "10⁶ operations a second of all processes, median over launches",
    "mops_total_low": "lower end of its exact interval",
    "mops_total_high": "upper end of it",
    "mops_per_process": "`mops_total` / `processes`",
    "mops_per_processor": "`mops_total` / (`processes_per_node` · ⌈`processes` / `processes_per_node`⌉), of one "
    "process the total: as the report of 2001 has it, which counts a half empty node whole",
    "base_processes": "processes to which the speed-up refers: 1, or the fewest that were measured so",
    "speed_up": "rate over that of `base_processes`, times `base_processes`: that base counts as perfect",
    "speed_up_low": "lowest that both intervals allow",
    "speed_up_high": "highest that they allow",
    "efficiency": "`speed_up` / `processes`",
}


def npb_table(launches: pd.DataFrame, inputs: RunInputs) -> pd.DataFrame:
    """`NPB_COLUMNS` of every planned row, in the order of the campaign. `launches`: `programs` of the store."""
    planned = _planned(inputs)
    if not planned:
        return pd.DataFrame(columns=list(NPB_COLUMNS))
    groups: dict[Any, pd.DataFrame] = dict(iter(launches.groupby(NPB_CASE, sort=False)))
    rows = [_row(key, count, groups.get(key), inputs) for key, count in planned.items()]
    return _with_speed_ups(pd.DataFrame(rows))[list(NPB_COLUMNS)]


def _planned(inputs: RunInputs) -> Counter[tuple[Any, ...]]:
    """How many launches of each row are planned, ordered by kernel, class, placement, occupancy, processes, stack."""
    npb, campaign = inputs.campaign.npb, inputs.campaign
    if npb is None:
        return Counter()
    counts: Counter[tuple[Any, ...]] = Counter(
        (
            launch.stack,
            launch.program.kernel,
            launch.program.problem,
            launch.point.placement,
            launch.point.processes_per_node,
            launch.point.processes,
        )
        for launch in inputs.plan.launches
        if launch.program is not None
    )

    def place(key: tuple[Any, ...]) -> tuple[int, ...]:
        stack, kernel, problem, placement, per_node, processes = key
        return (
            npb.kernels.index(kernel),
            npb.classes.index(problem),
            campaign.placements.index(placement),
            per_node,
            processes,
            campaign.stacks.index(stack),
        )

    return Counter({key: counts[key] for key in sorted(counts, key=place)})


def _row(key: tuple[Any, ...], planned: int, launches: pd.DataFrame | None, inputs: RunInputs) -> dict[str, Any]:
    """One line but its speed-up."""
    row: dict[str, Any] = {**dict(zip(NPB_CASE, key, strict=True)), "launches_planned": planned}
    row["launches"] = 0 if launches is None else len(launches)
    for name in ("seconds", "mops_total"):
        values = np.array([]) if launches is None else launches[name].dropna().to_numpy(dtype=float)
        row |= dict(zip((name, f"{name}_low", f"{name}_high"), _median(values, inputs), strict=True))
    row["mops_per_process"] = row["mops_total"] / row["processes"]
    row["mops_per_processor"] = row["mops_total"] / processors(row["processes"], row["processes_per_node"])
    return row


def _median(values: NDArray[np.float64], inputs: RunInputs) -> tuple[float, float, float]:
    """Median and its exact interval over launches; of few launches the range."""
    if not len(values):
        return nan, nan, nan
    median = median_interval(values, inputs.campaign.analysis.confidence)
    return float(np.median(values)), float(median.low), float(median.high)


def processors(processes: int, per_node: int) -> int:
    """Processors that the report of 2001 divides by: whole nodes; of one process one."""
    return 1 if processes == 1 else per_node * -(-processes // per_node)


def _with_speed_ups(table: pd.DataFrame) -> pd.DataFrame:
    """The table with what follows from its curves: one process is the base of every occupancy of the nodes."""
    with_rates = table[table["mops_total"] > 0]
    ones = {
        tuple(row[name] for name in CURVE): row for row in with_rates[with_rates["processes"] == 1].to_dict("records")
    }
    fewest: dict[tuple[Any, ...], dict[Any, Any]] = {}
    for row in with_rates.sort_values("processes").to_dict("records"):
        fewest.setdefault((*(row[name] for name in CURVE), row["processes_per_node"]), row)
    rows: list[dict[Any, Any]] = []
    for row in table.to_dict("records"):
        curve = tuple(row[name] for name in CURVE)
        base = ones.get(curve) or fewest.get((*curve, row["processes_per_node"]))
        rows.append({**row, **_speed_up(row, base)})
    return pd.DataFrame(rows)


def _speed_up(row: dict[Any, Any], base: dict[Any, Any] | None) -> dict[str, float]:
    names = ("base_processes", "speed_up", "speed_up_low", "speed_up_high", "efficiency")
    if base is None or not row["mops_total"] > 0:
        return dict.fromkeys(names, nan)
    count, itself = base["processes"], all(base[name] == row[name] for name in NPB_CASE)
    speed_up = count * row["mops_total"] / base["mops_total"]
    low = speed_up if itself else count * row["mops_total_low"] / base["mops_total_high"]
    high = speed_up if itself else count * row["mops_total_high"] / base["mops_total_low"]
    return dict(zip(names, (count, speed_up, low, high, speed_up / row["processes"]), strict=True))


#: What both sides have in common.
PUBLISHED_CASE = ["kernel", "npb_class", "processes_per_node", "processes"]

#: Columns of `npb-published.csv`. Nothing is tested: launches of two machines cannot be exchanged.
NPB_PUBLISHED_COLUMNS = {
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
    "other_map": "the nodes that were used there: number of the printed map; empty where the reference has none",
    "other_nodes": "the nodes on that map as it is printed; empty where the reference has no drawing of them",
    "other_launches": "published launches of the case on that map",
    "other_seconds": "their time: median over these",
    "other_seconds_min": "least of them",
    "other_seconds_max": "greatest of them",
    "other_mops_total": "their rate: median",
    "other_mops_per_processor": "the same per processor, by the same rule",
    "other_speed_up": "their rate over that of their one process",
    "ratio": "ours / theirs, of the times: the work is the same, so it is their rate over ours; below 1 we take less",
}


def published(path: Path) -> tuple[str, pd.DataFrame]:
    """Title of a reference, and a row for each case and map of nodes: launches, medians and range. Raises FileError."""
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
                "map": line[columns.map] if columns.map else "",
                "nodes": line[columns.nodes] if columns.nodes else "",
                "seconds": _real(line[columns.seconds], where),
                "mops_total": _real(line[columns.mops_total], where),
            }
        )
    table = pd.DataFrame(rows).groupby([*PUBLISHED_CASE, "map"], sort=False, as_index=False).agg(
        nodes=("nodes", "first"),
        launches=("seconds", "size"),
        seconds=("seconds", "median"),
        least=("seconds", "min"),
        most=("seconds", "max"),
        mops_total=("mops_total", "median"),
    )  # fmt: skip
    return reference.title, _with_rates(pd.DataFrame(table))


def _with_rates(table: pd.DataFrame) -> pd.DataFrame:
    """The rate per processor, and the speed-up over one process of the same kernel and class: median over its maps."""
    ones = table[table["processes"] == 1].groupby(PUBLISHED_CASE[:3])["mops_total"].median()
    one = ones.groupby(PUBLISHED_CASE[:2]).first()
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


def beside_published(table: pd.DataFrame, inputs: RunInputs) -> pd.DataFrame:
    """`NPB_PUBLISHED_COLUMNS` of each reference in `programs.npb.compare_with`. `table`: `NPB_COLUMNS`.

    Raises FileError if a reference cannot be read.
    """
    words = inputs.campaign.npb.compare_with if inputs.campaign.npb is not None else []
    tables = [_beside(table, *published(program_reference_path(word))) for word in words]
    if not tables:
        return pd.DataFrame(columns=list(NPB_PUBLISHED_COLUMNS))
    return pd.concat(tables, ignore_index=True)[list(NPB_PUBLISHED_COLUMNS)]


def _beside(rows: pd.DataFrame, title: str, theirs: pd.DataFrame) -> pd.DataFrame:
    """An outer join over the kernels and classes that this run has."""
    names = ("seconds", "mops_total", "mops_per_processor", "speed_up")
    ours = rows[[*PUBLISHED_CASE, "stack", "placement", *names]].rename(
        columns={name: f"this_{name}" for name in names}
    )
    keys: Any = rows.set_index(PUBLISHED_CASE[:2]).index
    partners = theirs[theirs.set_index(PUBLISHED_CASE[:2]).index.isin(keys)]
    partners = partners.rename(columns={name: f"other_{name}" for name in (*names, "map", "nodes", "launches")})
    partners = partners.rename(columns={"least": "other_seconds_min", "most": "other_seconds_max"})
    table = ours.merge(partners, on=PUBLISHED_CASE, how="outer")
    ratio = (table["other_mops_total"] / table["this_mops_total"]).fillna(
        table["this_seconds"] / table["other_seconds"]
    )
    place = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    order = [place[key] for key in zip(table["kernel"], table["npb_class"], strict=True)]
    table = table.assign(machine=title, ratio=ratio, order=order)
    return table.sort_values(["order", "processes_per_node", "processes", "stack"], kind="stable")
