# SPDX-License-Identifier: BSD-3-Clause
"""Imported values beside those of a run. No verdict follows from them: a summary has no spread over launches.

An imported value and a measured one differ in library, machine and day, and in how runs are started and what of them is
averaged. The last two are named in every row; if the campaign has the tool's scheme as its contrast, its value in
that scheme, averaged over processes as the tool does, stands beside.
"""

from typing import Any

import pandas as pd

from isochron.common.files import FileError
from isochron.postprocess.estimate.values.summary import joined, summarise, usable
from isochron.postprocess.ingest.imported import timed_rows
from isochron.postprocess.ingest.inputs import KEYS, RESULT_KEY, RunInputs, planned_rows, results_of
from isochron.postprocess.ingest.store import read_table
from isochron.schemas.run.imported import Imported, ImportLayout

VERDICT = "imported"
#: Columns: `KEYS` are those of the run's row.
IMPORT_COLUMNS = {
    **KEYS,
    "imported": "name of the import",
    "tool": "the tool and its version",
    "benchmark": "the benchmark as the tool names it",
    "scheme": "how the tool starts its runs, in the engine's words",
    "statistic": "what the tool's value is",
    "lines": "lines of the files behind it",
    "files": "files behind it: launches of the tool",
    "jobs": "jobs (allocations) behind it; 0 if the files do not state them",
    "imported_us": "the tool's value; the median over jobs, of that over the files of each, of that over their lines",
    "imported_min_us": "least of them; empty for one line",
    "imported_max_us": "greatest of them; empty for one line",
    "engine_scheme": "scheme of the run's results",
    "engine_us": "value of the run's row",
    "engine_low_us": "lower end of its interval",
    "engine_high_us": "upper end of its interval",
    "within": "whether the tool's value lies in that interval",
    "alike": "what of the run is most like the tool's value: its scheme, and whether processes are averaged",
    "matched_us": "that value: median over the launches",
    "ratio": "candidate / baseline, of the values",
    "ratio_low": "empty: files without a spread over launches give no interval",
    "ratio_high": "empty, likewise",
    "ratio_alike": "candidate / baseline, of the tool's value and `matched_us`",
    "verdict": "`imported`: nothing is claimed",
    "reason": "why not, and what the difference may come from",
}
#: What a scheme adds, against a start at one moment (docs/explanation/method.md).
SYSTEMATIC = {
    "loop": "a loop lets repetitions overlap (E6)",
    "rotating-root": "a loop lets repetitions overlap (E6), and its root rotates (E3)",
    "barrier": "processes leave a barrier at different moments (E5)",
}
#: How a statistic over processes begins (isochron.tools).
OVER_PROCESSES = "mean over the processes"
CASE_OF_TOOL = ["operation", "bytes", "processes", "processes_per_node", "scheme", "statistic", "benchmark"]


def beside(layout: ImportLayout, inputs: RunInputs, *, imported_first: bool) -> pd.DataFrame:
    """`IMPORT_COLUMNS`: every row of the run that an imported one is the same case as. Raises FileError if none is.

    `imported_first`: the import is the baseline, as old files mostly are.
    """
    record, tool = Imported.load(layout.record), _values(layout)
    run = _measured(inputs)
    if record.stack:
        run = run[run["stack"] == record.stack]
    rows = [
        _row(record, inputs, mine, theirs, imported_first)
        for mine in run.to_dict("records")
        for theirs in tool.to_dict("records")
        if _same_case(mine, theirs)
    ]
    if not rows:
        raise FileError(f"{layout.root}: {_nothing_in_common(tool, run, record)}")
    return pd.DataFrame(rows, columns=list(IMPORT_COLUMNS))


def _values(layout: ImportLayout) -> pd.DataFrame:
    """One row for each case, scheme and statistic of the import that has a time."""
    timed = timed_rows(layout)
    grouped = timed.groupby(CASE_OF_TOOL, dropna=False, sort=False, as_index=False)
    values: pd.DataFrame = grouped.agg(
        version=("version", "first"),
        lines=("value_us", "size"),
        files=("file", "nunique"),
        jobs=("job", lambda jobs: jobs[jobs != ""].nunique()),
        least=("value_us", "min"),
        most=("value_us", "max"),
    )
    outer, medians = [*CASE_OF_TOOL, "job", "file"], pd.DataFrame(timed)
    while len(outer) >= len(CASE_OF_TOOL):
        grouped = medians.groupby(outer, dropna=False, sort=False, as_index=False)
        medians = pd.DataFrame(grouped[["value_us"]].median())
        outer = outer[:-1]
    values.insert(len(CASE_OF_TOOL), "imported_us", medians["value_us"])  # in the same order of cases
    return values


def _measured(inputs: RunInputs) -> pd.DataFrame:
    """The run's reliable rows with value, interval, and by scheme and kind what may be like a tool's value."""
    everything = joined(read_table(inputs.layout, "launches"), read_table(inputs.layout, "measurements"))
    campaign, confidence = inputs.campaign, inputs.campaign.analysis.confidence
    result_rows = results_of(everything, inputs)
    table = summarise(planned_rows(inputs), result_rows, confidence)
    table = table[table["reliable"]].merge(_means(result_rows, campaign.engine.scheme), on=RESULT_KEY, how="left")
    for contrast, changes in campaign.all_contrasts.items():
        if set(changes) != {"scheme"}:
            continue  # no other scheme alone
        scheme = campaign.engine_of(contrast).scheme
        further = everything[everything["file"].isin(inputs.plan.files_of_contrast(contrast))]
        again = summarise(planned_rows(inputs, contrast), further, confidence)[[*RESULT_KEY, "median_us"]]
        table = table.merge(again.rename(columns={"median_us": scheme}), on=RESULT_KEY, how="left")
        table = table.merge(_means(further, scheme), on=RESULT_KEY, how="left")
    return table


def _means(rows: pd.DataFrame, scheme: str) -> pd.DataFrame:
    """Median over the launches of the mean over processes, in a column named after scheme and kind."""
    name = f"{scheme}, {OVER_PROCESSES}"
    means = (
        usable(rows)
        .rename(columns={"rank_avg_us": name})
        .groupby(RESULT_KEY, sort=False, as_index=False)[[name]]
        .median()
    )
    return pd.DataFrame(means)


def _same_case(mine: dict[Any, Any], theirs: dict[Any, Any]) -> bool:
    same = all(mine[name] == theirs[name] for name in ("operation", "bytes", "processes"))
    return same and (
        pd.isna(theirs["processes_per_node"]) or theirs["processes_per_node"] == mine["processes_per_node"]
    )


def _row(
    record: Imported, inputs: RunInputs, mine: dict[Any, Any], theirs: dict[Any, Any], imported_first: bool
) -> dict[str, Any]:
    """One line of the table."""
    scheme, value = inputs.campaign.engine.scheme, theirs["imported_us"]
    low, high = mine["median_low_us"], mine["median_high_us"]
    alike, matched_us = _alike(mine, theirs, scheme)

    def ratio(engine: float) -> float:
        return float(engine / value if imported_first else value / engine)

    return {
        **{name: mine[name] for name in KEYS},
        **{
            name: theirs[name] for name in ("benchmark", "scheme", "statistic", "lines", "files", "jobs", "imported_us")
        },
        "imported": record.name,
        "tool": f"{record.tool} {theirs['version']}".strip(),
        "imported_min_us": theirs["least"] if theirs["lines"] > 1 else None,
        "imported_max_us": theirs["most"] if theirs["lines"] > 1 else None,
        "engine_scheme": scheme,
        "engine_us": mine["median_us"],
        "engine_low_us": low,
        "engine_high_us": high,
        "within": bool(low <= value <= high),
        "alike": alike,
        "matched_us": matched_us,
        "ratio": ratio(mine["median_us"]),
        "ratio_low": None,
        "ratio_high": None,
        "ratio_alike": ratio(matched_us),
        "verdict": VERDICT,
        "reason": _reason(theirs, scheme),
    }


def _alike(mine: dict[Any, Any], theirs: dict[Any, Any], scheme: str) -> tuple[str, float]:
    """The run's value that was made most like the tool's: in its scheme if there is one, averaged where it is."""
    over = str(theirs["statistic"]).startswith(OVER_PROCESSES)
    for chosen in (theirs["scheme"], scheme):
        for name in ((f"{chosen}, {OVER_PROCESSES}",) if over else ()) + ((chosen,) if chosen != scheme else ()):
            if mine.get(name) is not None and mine[name] > 0:
                return name, float(mine[name])
    return scheme, float(mine["median_us"])


def _reason(theirs: dict[Any, Any], scheme: str) -> str:
    files, lines = theirs["files"], theirs["lines"]
    counted = f"{files} file{'s' if files > 1 else ''}, {lines} line{'s' if lines > 1 else ''}"
    if theirs["jobs"]:
        counted = f"{theirs['jobs']} job{'s' if theirs['jobs'] > 1 else ''}, {counted}"
    why = "not launched in the run's blocks: no test" if files > 1 else "no spread over launches: no interval"
    reasons = [f"{counted}, {why}, no claim"]
    if theirs["scheme"] != scheme:
        reasons.append(f"{theirs['scheme'] or 'unknown scheme'} against {scheme}")
        reasons += [SYSTEMATIC[each] for each in (theirs["scheme"], scheme) if each in SYSTEMATIC]
    if str(theirs["statistic"]).startswith(OVER_PROCESSES):
        reasons.append("the tool averages over processes, the engine times from the first start to the last end")
    if pd.isna(theirs["processes_per_node"]):
        reasons.append("the file does not say how many processes were on a node")
    return "; ".join(reasons)


def _nothing_in_common(tool: pd.DataFrame, run: pd.DataFrame, record: Imported) -> str:
    if tool["processes"].isna().all():
        return f"its files do not say how many processes {record.tool} had; import them again with --processes N"
    if record.stack and run.empty:
        return f"the run has no reliable row of the stack {record.stack}"
    return (
        f"no operation, size and number of processes is both in the import ({_cases(tool)}) and is_reliable in the run "
        f"({_cases(run)})"
    )


def _cases(table: pd.DataFrame) -> str:
    counts = sorted({int(number) for number in table["processes"].dropna()})
    return f"{', '.join(sorted(set(table['operation']))) or 'none'}; processes {', '.join(map(str, counts)) or 'none'}"
