# SPDX-License-Identifier: BSD-3-Clause
"""A view is a table that a campaign asks for in `analysis.views`: nothing is worked out for one that does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from isochron.postprocess.kit.table__declaration import Table, TableContext, always
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
