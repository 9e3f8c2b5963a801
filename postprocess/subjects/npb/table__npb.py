# SPDX-License-Identifier: BSD-3-Clause
"""`npb.csv`, `npb-nodes.csv` and `npb-published.csv`: the NAS Parallel Benchmarks by placement."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.ingest.programs__programs import read_programs
from isochron.postprocess.kit.table__declaration import Table, TableContext
from isochron.postprocess.subjects.npb.results__npb import NPB_COLUMNS, npb_table
from isochron.postprocess.subjects.npb.results__published import NPB_BESIDE_COLUMNS, beside_published
from isochron.postprocess.subjects.npb.table__nodes import NODE_COLUMNS, node_table
from isochron.schemas.input.campaign import Campaign


def make_launches(context: TableContext) -> pd.DataFrame:
    """`programs` of the store."""
    return read_programs(context.inputs.layout)


def make_npb(context: TableContext) -> pd.DataFrame:
    """`NPB_COLUMNS`."""
    return npb_table(context.get(make_launches), context.inputs)


def make_nodes(context: TableContext) -> pd.DataFrame:
    """`NODE_COLUMNS`."""
    return node_table(context.get(make_launches), context.inputs)


def make_beside(context: TableContext) -> pd.DataFrame:
    """`NPB_BESIDE_COLUMNS`."""
    return beside_published(context.get(make_npb), context.inputs)


def _runs_npb(campaign: Campaign) -> bool:
    return campaign.npb is not None


NPB = Table(
    name="npb",
    columns=NPB_COLUMNS,
    make=make_npb,
    holds="the NAS Parallel Benchmarks: seconds, rates, speed-up and efficiency by placement",
    applies=_runs_npb,
)
NPB_NODES = Table(
    name="npb-nodes",
    columns=NODE_COLUMNS,
    make=make_nodes,
    holds="which nodes their launches took",
    applies=_runs_npb,
)
NPB_BESIDE = Table(
    name="npb-published",
    columns=NPB_BESIDE_COLUMNS,
    make=make_beside,
    holds="the same beside what others have published",
    applies=lambda campaign: campaign.npb is not None and bool(campaign.npb.compare_with),
)
