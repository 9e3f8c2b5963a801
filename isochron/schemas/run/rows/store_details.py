# SPDX-License-Identifier: BSD-3-Clause
"""Columns of the tables of the store that hold details; a column is its name, pandas type and meaning."""

from __future__ import annotations

from typing import NamedTuple


class Column(NamedTuple):
    """One column of a table."""

    name: str
    dtype: str
    meaning: str


#: What says which measurement a detail is of.
_ROW = (
    Column("launch_id", "string", "the launch"),
    Column("operation", "string", "operation"),
    Column("bytes", "int64", "message size"),
)
RANKS = (
    *_ROW,
    Column("rep", "int64", "number of the run, from 0"),
    Column("rank", "int64", "rank in MPI_COMM_WORLD"),
    Column("start_us", "float64", "its start, relative to the first start of all ranks"),
    Column("end_us", "float64", "its end, relative to the first start of all ranks"),
    Column("begin_us", "float64", "that first start, relative to that of the row's first run"),
    Column("slot_us", "float64", "slot of the run; 0: none"),
    Column("into_slot_us", "float64", "the first start, relative to the start of the slot"),
)
LOOPS = (
    *_ROW,
    Column("rank", "int64", "rank in MPI_COMM_WORLD"),
    Column("position", "int64", "number of the operation in the last loop, from 0"),
    Column("time_us", "float64", "from the end of the previous operation to the end of this one, on this rank"),
)
OVERLAP = (
    *_ROW,
    Column("point", "int64", "number of the point k, from 0: a computation of k quarters of the operation's time"),
    Column("compute_us", "float64", "the computation alone"),
    Column("total_us", "float64", "start of the operation, computation, wait"),
    Column("overlap", "float64", "share of the operation's time that the computation hid"),
)
STRAGGLERS = (
    *_ROW,
    Column("host", "string", "host that was named, or that of the rank; empty if only runs were counted"),
    Column("rank", "float64", "rank; empty: the host as a whole"),
    Column(
        "counted",
        "string",
        "what is counted: `batches` in which the host or rank was named, `runs` that it invalidated",
    ),
    Column("late_start", "int64", "of these, those with a late start"),
    Column("overrun", "int64", "of these, those that ended after the slot"),
    Column("late_start_p", "float64", "corrected p value that so many are chance"),
    Column("overrun_p", "float64", "corrected p value that so many are chance"),
)
MEMORY = (
    Column("launch_id", "string", "the launch"),
    Column("step", "string", "after which step of setting the MPI library up"),
    Column("figure", "string", "which memory, as in the raw file: `pss_bytes`, `private_bytes` …"),
    Column("host", "string", "host; empty: over all processes of the launch"),
    Column("processes", "int64", "processes there"),
    Column("sum_bytes", "float64", "sum over these processes"),
    Column("min_bytes", "float64", "smallest of a process"),
    Column("median_bytes", "float64", "median of the processes"),
    Column("max_bytes", "float64", "largest of a process"),
)
CLOCKS = (
    Column("launch_id", "string", "the launch"),
    Column("epoch", "int64", "number of the synchronisation, from 0"),
    Column("phase", "string", "`before` or `after` the runs"),
    Column("method", "string", "clock synchroniser"),
    Column("estimator", "string", "estimator of an offset"),
    Column("by_node", "bool", "whether one process per node was synchronised on behalf of the others"),
    Column("begin_ns", "float64", "global time when the synchronisation was done"),
    Column("duration_ms", "float64", "duration"),
    Column("exchanges", "float64", "exchanges of messages of all ranks"),
    Column("rank", "int64", "rank that the following columns are about"),
    Column("x0_ns", "float64", "model: global time = timer + offset + slope · (timer - x0)"),
    Column("offset_us", "float64", "offset of the model"),
    Column("offset_se_us", "float64", "its standard error"),
    Column("slope_ppm", "float64", "slope of the model"),
    Column("slope_se_ppm", "float64", "its standard error"),
    Column("bound_us", "float64", "stated bound of the corrected clock"),
    Column("error_us", "float64", "error of the corrected clock, measured again"),
    Column("error_bound_us", "float64", "half width of the hard interval of that error"),
    Column("true_error_us", "float64", "true error, if clocks are synthetic"),
    Column("true_bound_us", "float64", "the bound stated then"),
)
