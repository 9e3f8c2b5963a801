# SPDX-License-Identifier: BSD-3-Clause
"""`probes.csv`: probe readings of each launch, and their series for a figure; `regimes.csv`: rows in other regimes."""

from isochron.postprocess.estimate.machine.probes import (
    PROBE_COLUMNS,
    PROBE_SERIES_COLUMNS,
    REGIME_COLUMNS,
    probe_series,
    probe_table,
    regime_table,
)
from isochron.postprocess.kit.table import SavedFrame, Table

PROBE_TABLE = Table(
    name="probes",
    columns=PROBE_COLUMNS,
    make=lambda context: probe_table(
        context.launches, context.probes, context.everything.groupby("launch_id")["invalid_disturbed"].sum()
    ),
    holds="the probe readings of every launch, between its batches",
)
REGIMES = Table(
    name="regimes",
    columns=REGIME_COLUMNS,
    make=lambda context: regime_table(context.rows, context.launches, context.probes),
    holds="rows that a launch measured wholly in another regime of the machine than the other launches of its block",
)
PROBE_SERIES = SavedFrame(
    name="probe-series",
    columns=PROBE_SERIES_COLUMNS,
    make=lambda context: probe_series(context.launches, context.probes),
)
