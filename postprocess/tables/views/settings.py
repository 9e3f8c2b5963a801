# SPDX-License-Identifier: BSD-3-Clause
"""Rows of all launches of a campaign with how they were measured: scheme, timer and buffers beside each other."""

from __future__ import annotations

import json

import pandas as pd

from isochron.postprocess.tables.declaration import Bench
from isochron.postprocess.values.summary import usable

#: What a row was measured with, beside its case.
SETTING = {
    "scheme": "measurement scheme",
    "timer": "timer",
    "buffers": "`warm` or `cold`",
}


def make_measured(bench: Bench) -> pd.DataFrame:
    """`bench.everything` that has a time, with SETTING and `launch`; without the launches that compare synchronisers.

    `launch` is the number of the launch in its block, stack and point.
    """
    launches = bench.launches
    own = launches[["launch_id", "launch"]].assign(buffers=[_buffers(text) for text in launches["options"]])
    others = {launch.file for launch in bench.inputs.plan.launches if launch.clock_sync}
    rows = bench.everything[~bench.everything["file"].isin(list(others))]
    return usable(rows.merge(own, on="launch_id"))


def _buffers(options: str) -> str:
    """What the options of a launch say of its buffers."""
    return str(json.loads(options).get("buffers", "warm"))
