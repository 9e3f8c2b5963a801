# SPDX-License-Identifier: BSD-3-Clause
"""What views share: a view is a table that a campaign requests in `analysis.views`; its unit of bandwidth."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from isochron.postprocess.formatting.numbers import MIB
from isochron.postprocess.kit.table import Table, TableContext, always
from isochron.schemas.input.campaign import Campaign


def view(
    source: str,
    name: str,
    columns: Mapping[str, str],
    make: Callable[[TableContext], pd.DataFrame],
    holds: str,
    has: Callable[[Campaign], bool] = always,
) -> Table:
    """The table `view-<source>[-<name>]`; `source` is the word in `analysis.views`, `has` what else it takes."""

    def applies(campaign: Campaign) -> bool:
        return source in campaign.analysis.views and has(campaign)

    def made(context: TableContext) -> pd.DataFrame:
        return make(context) if applies(context.inputs.campaign) else pd.DataFrame(columns=list(columns))

    return Table("-".join(filter(None, ("view", source, name))), columns, made, holds, applies=applies)


def mib_per_s(moved: pd.Series[float], time_us: pd.Series[float]) -> pd.Series[float]:
    """Bytes moved in a time (µs), in MiB/s: `moved` / (1.048576 · `time_us`)."""
    return moved * 1e6 / (MIB * time_us)
