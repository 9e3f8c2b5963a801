# SPDX-License-Identifier: BSD-3-Clause
"""`regimes.csv`: rows that a launch measured wholly in another regime than its block's other launches."""

from __future__ import annotations

from isochron.postprocess.machine.regimes import REGIME_COLUMNS, regime_table
from isochron.postprocess.tables.declaration import Table

REGIMES = Table(
    name="regimes",
    columns=REGIME_COLUMNS,
    make=lambda bench: regime_table(bench.rows, bench.launches, bench.weather),
    holds="rows that a launch measured wholly in another regime of the machine than the other launches of its block",
)
