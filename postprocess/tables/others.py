# SPDX-License-Identifier: BSD-3-Clause
"""Tables for people, apart from the summary, the comparison and the first calls."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.reading.inputs import CASE, KEYS, ROW, RunInputs
from isochron.postprocess.values.verdicts import LAUNCH_VERDICTS

#: Columns of `verdicts.csv`: of each row its launches by verdict, and its runs by what became of them.
VERDICTS = {
    **KEYS,
    "launches_planned": "launches in the plan",
    "launches": "launches measured",
    **{
        f"launches_{verdict.replace('-', '_')}": f"launches with the verdict `{verdict}`" for verdict in LAUNCH_VERDICTS
    },
    "runs_made": "runs of all launches",
    "runs_valid": "valid ones of them",
    "runs_late_start": "runs that some process started late",
    "runs_overrun": "runs that some process ended after the slot",
    "verdict": "of the row",
    "reason": "why it is not `ok`",
}

#: Columns of `stacks.csv`.
STACKS = {
    "stack": "MPI stack",
    "mpi_library": "family of the MPI library",
    "mpi_version": "its version",
    "mpi_library_version": "what MPI_Get_library_version says",
    "route": "registry, spack or site",
    "compiler": "compiler behind the wrapper",
    "cc": "compiler wrapper",
    "engine_version": "version of the engine",
    "engine_sha256": "hash of its executable",
    "provenance": "key=value, separated by semicolons",
    "built_at": "when the engine was built",
}


def verdict_table(summary: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """`VERDICTS` for every planned row. `rows`: the launches' rows with ROW columns."""
    made = rows.groupby(ROW, sort=False, as_index=False)[
        ["runs_made", "runs_valid", "invalid_late_start", "invalid_overrun"]
    ].sum()
    made = made.rename(columns={"invalid_late_start": "runs_late_start", "invalid_overrun": "runs_overrun"})
    table = summary[[*ROW, "launches_planned", "launches", "verdict", "reason"]].merge(made, on=ROW, how="left")
    for verdict in LAUNCH_VERDICTS:
        counts = rows[rows["verdict"] == verdict].value_counts(ROW).to_dict()
        keys = table[ROW].itertuples(index=False, name=None)
        table[f"launches_{verdict.replace('-', '_')}"] = [counts.get(key, 0) for key in keys]
    runs = ["runs_made", "runs_valid", "runs_late_start", "runs_overrun"]
    table[runs] = table[runs].fillna(0).astype("int64")
    return table[list(VERDICTS)]


def scalability(summary: pd.DataFrame, operation: str, stacks: list[str]) -> pd.DataFrame:
    """Rows bytes × processes × processes per node × placement; value, low and high in µs of each stack."""
    keys = [name for name in CASE if name != "operation"]
    chosen = summary[summary["operation"] == operation]
    table = chosen[keys].drop_duplicates().sort_values(keys, kind="stable")
    for stack in stacks:
        part = chosen.loc[chosen["stack"] == stack, [*keys, "median_us", "median_low_us", "median_high_us", "verdict"]]
        names = {
            "median_us": f"{stack}_us",
            "median_low_us": f"{stack}_low_us",
            "median_high_us": f"{stack}_high_us",
            "verdict": f"{stack}_verdict",
        }
        table = table.merge(part.rename(columns=names), on=keys, how="left")
    return table


def stack_table(inputs: RunInputs) -> pd.DataFrame:
    """`STACKS` from the manifests that exist, in the campaign's order."""
    rows = [
        {
            **manifest.model_dump(),
            "provenance": "; ".join(f"{key}={value}" for key, value in sorted(manifest.provenance.items())),
        }
        for manifest in inputs.manifests.values()
    ]
    return pd.DataFrame(rows, columns=list(STACKS))
