# SPDX-License-Identifier: BSD-3-Clause
"""Inputs of a campaign of NPB that was never run, and rows of its store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from isochron.postprocess.ingest.inputs import RunInputs
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout
from isochron.workflows.planning.plan import make_plan

STACK = "openmpi-5.0"


def inputs(folder: Path, npb: dict[str, Any], **changes: Any) -> RunInputs:
    """A campaign with NPB on up to 32 nodes."""
    document = {
        "schema": 1, "name": "npb", "stacks": [STACK], "operations": ["barrier"], "sizes": [8], "processes": [2],
        "processes_per_node": [1], "replication": {"blocks": 1, "launches_per_block": 1},
        "site": {"nodes": 32, "cores_per_node": 2}, "programs": {"npb": {"source": "/npb", **npb}}, **changes,
    }  # fmt: skip
    campaign = Campaign.model_validate(document)
    return RunInputs(RunLayout(folder), campaign, make_plan(campaign), None, {})


def stored(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Rows of the table `programs`, as far as the tables read it."""
    return pd.DataFrame([{"stack": STACK, "placement": "packed", "hosts": "n1", **row} for row in rows])
