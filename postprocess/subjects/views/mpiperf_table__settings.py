# SPDX-License-Identifier: BSD-3-Clause
"""Rows of all launches of a campaign with how they were measured: scheme, timer and buffers beside each other."""

from __future__ import annotations

import json

import pandas as pd

from isochron.postprocess.estimate.values.summary import usable
from isochron.postprocess.kit.table__declaration import TableContext

#: What a row was measured with, beside its case.
SETTING = {
    "scheme": "measurement scheme",
    "timer": "timer",
    "buffers": "`warm` or `cold`",
}
#: Options in which launches may differ that stand beside each other: those, what a launch measures, and when it ends.
FREE = frozenset({*SETTING, "operations", "sizes", "output", "stop", "time_budget"})


def make_measured(context: TableContext) -> pd.DataFrame:
    """`bench.everything` that has a time, with SETTING and `launch`.

    Of launches that results do not rest on those that differ from them in SETTING at most: a contrast with other
    counts, arrivals or synchronisers is another measurement. `launch` is the number of the launch in its block, stack
    and point.
    """
    launches = context.launches
    others = pd.Series([_other_options(text) for text in launches["options"]], index=launches.index)
    of_results = launches["file"].isin(context.inputs.plan.files_of_results)
    alike = others.isin(others[of_results].unique())
    own = launches[["launch_id", "launch"]].assign(buffers=[_buffers(text) for text in launches["options"]])
    return usable(context.everything.merge(own[alike], on="launch_id"))


def _other_options(options: str) -> str:
    """All options of a launch but FREE, as one text."""
    return json.dumps({name: value for name, value in json.loads(options).items() if name not in FREE}, sort_keys=True)


def _buffers(options: str) -> str:
    """What the options of a launch say of its buffers."""
    return str(json.loads(options).get("buffers", "warm"))
