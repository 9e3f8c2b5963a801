# SPDX-License-Identifier: BSD-3-Clause
"""`placements.csv`, and what follows from it for a user: `placement-advice.csv`."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.compare.placements import ADVICE_COLUMNS, PLACEMENT_COLUMNS, advice, placements
from isochron.postprocess.ingest.inputs import POINT, RunInputs
from isochron.postprocess.kit.table import Table, TableContext
from isochron.postprocess.subjects.results.table import make_summary
from isochron.schemas.input.campaign import Campaign


def several_places(campaign: Campaign) -> bool:
    """Return True if a campaign has points that differ in place alone; a scan compares its nodes itself."""
    return campaign.scan is None and max(len(campaign.placements), len(campaign.processes_per_node)) > 1


def named_hosts(inputs: RunInputs) -> dict[tuple[Any, ...], tuple[str, ...]]:
    """The nodes of each point (POINT) in their order, if the campaign names them."""
    return {
        tuple(getattr(launch.point, name) for name in POINT): tuple(launch.hosts)
        for launch in inputs.plan.launches
        if launch.point.placement in inputs.campaign.node_lists
    }


def make_placements(context: TableContext) -> pd.DataFrame:
    """`PLACEMENT_COLUMNS`."""
    campaign = context.inputs.campaign
    if not several_places(campaign):
        return pd.DataFrame(columns=list(PLACEMENT_COLUMNS))
    orders: dict[str, Sequence[Any]] = {
        "placement": campaign.placements,
        "processes_per_node": campaign.processes_per_node,
    }
    return placements(context.beside, context.get(make_summary), named_hosts(context.inputs), orders, context.rules)


PLACEMENTS = Table(
    name="placements",
    columns=PLACEMENT_COLUMNS,
    make=make_placements,
    holds="host orders, placements and processes per node of a stack against each other",
    applies=several_places,
)
PLACEMENT_ADVICE = Table(
    name="placement-advice",
    columns=ADVICE_COLUMNS,
    make=lambda context: advice(context.get(make_placements), named_hosts(context.inputs)),
    holds="orders of the same hosts, and placements, that are slower than others, and which to use instead",
    applies=several_places,
)
