# SPDX-License-Identifier: BSD-3-Clause
"""`timers.csv` and `clock-synchronisation.csv`."""

from isochron.postprocess.estimate.machine.clocks import CLOCK_COLUMNS, TIMER_COLUMNS, clock_table, timer_table
from isochron.postprocess.kit.table import Table

TIMERS = Table(
    name="timers",
    columns=TIMER_COLUMNS,
    make=lambda context: timer_table(context.inputs.layout),
    holds="every timer on every node, as tested before each block",
)
CLOCKS = Table(
    name="clock-synchronisation",
    columns=CLOCK_COLUMNS,
    make=lambda context: clock_table(context.launches),
    holds="every synchroniser at every point: time, error and bound",
)
