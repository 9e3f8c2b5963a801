# SPDX-License-Identifier: BSD-3-Clause
"""Columns of the four tables of the store: name, pandas type, meaning. Units stand in the names."""

from __future__ import annotations

from typing import NamedTuple


class Column(NamedTuple):
    """One column of a table."""

    name: str
    dtype: str
    meaning: str


LAUNCHES = (
    Column("launch_id", "string", "run_id and the launch's name: the key of this table"),
    Column("run_id", "string", "the campaign run"),
    Column("campaign", "string", "name of the campaign"),
    Column("system", "string", "system in the ReFrame configuration"),
    Column("partition", "string", "partition of it"),
    Column("stack", "string", "MPI stack"),
    Column("mpi_library", "string", "family of the MPI library"),
    Column("mpi_version", "string", "its version"),
    Column("mpi_library_version", "string", "MPI_Get_library_version as the launch reported it"),
    Column("engine_version", "string", "version of the engine"),
    Column("engine_sha256", "string", "hash of the engine's executable"),
    Column("processes", "int64", "processes of the launch"),
    Column("processes_per_node", "int64", "processes on each node"),
    Column("nodes", "int64", "nodes asked for"),
    Column("placement", "string", "how processes were placed on the nodes"),
    Column("block", "int64", "number of the block"),
    Column("launch", "int64", "number of the launch in its block, stack and point"),
    Column("attempt", "int64", "attempt at the block in which the launch succeeded"),
    Column("started_at", "datetime64[us, UTC]", "start of the launch"),
    Column("duration_s", "float64", "from start to end of the engine"),
    Column("hosts", "string", "distinct hosts, separated by commas"),
    Column("oversubscribed", "bool", "more processes on a node than cores"),
    Column("timer", "string", "timer used"),
    Column("timer_resolution_us", "float64", "smallest step of the timer"),
    Column("timer_cost_us", "float64", "cost of one reading"),
    Column("clock_sources", "string", "distinct clock sources of the nodes' kernels"),
    Column("clock_sync", "string", "clock synchronisation"),
    Column("clock_estimator", "string", "estimator of a clock offset"),
    Column("clock_sync_ms", "float64", "how long the first synchronisation of the launch took"),
    Column("clock_error_before_us", "float64", "largest offset left at once after the synchronisation"),
    Column("clock_error_after_us", "float64", "largest offset left after the runs"),
    Column("clock_bound_us", "float64", "largest stated bound of the synchronisation"),
    Column("clock_true_before_us", "float64", "the same as `clock_error_before_us` where clocks are made up: truly"),
    Column("clock_true_after_us", "float64", "the same as `clock_error_after_us` where clocks are made up: truly"),
    Column("simulated", "bool", "measured under a simulator"),
    Column(
        "simulation", "string", "simulator, network model, selector of collectives and machine; empty: a real machine"
    ),
    Column("file", "string", "raw file, relative to the run's folder"),
    Column("raw_sha256", "string", "SHA-256 of that file: what is in the store already is not read again"),
)

MEASUREMENTS = (
    Column("launch_id", "string", "the launch"),
    Column("operation", "string", "operation, named as in the MPI standard"),
    Column("bytes", "int64", "message size, as defined for the operation"),
    Column("scheme", "string", "measurement scheme"),
    Column("clock_sync", "string", "clock synchronisation"),
    Column("timer", "string", "timer"),
    Column("runs_made", "int64", "runs made"),
    Column("runs_valid", "int64", "runs that started in time and ended in their slot on every process"),
    Column("runs_used", "int64", "runs that started in time, less those that are trimmed"),
    Column("invalid_late_start", "int64", "runs that some process started late"),
    Column("invalid_overrun", "int64", "runs that some process ended after the slot"),
    Column("slot_us", "float64", "last slot length"),
    Column("first_call_us", "float64", "very first call"),
    Column("second_call_us", "float64", "second call, on another buffer"),
    Column("mean_us", "float64", "trimmed mean"),
    Column("se_us", "float64", "its winsorised standard error"),
    Column("autocorrelation", "float64", "of neighbouring runs; the intervals are widened for it"),
    Column("ci_low_us", "float64", "interval of the trimmed mean"),
    Column("ci_high_us", "float64", "interval of the trimmed mean"),
    Column("confidence", "float64", "of the intervals"),
    Column("median_us", "float64", "median of the runs that started in time"),
    Column("median_low_us", "float64", "exact binomial interval of the median"),
    Column("median_high_us", "float64", "exact binomial interval of the median"),
    Column("min_us", "float64", "shortest of them"),
    Column("max_us", "float64", "longest of them"),
    Column("local_median_us", "float64", "median over them of the longest local duration"),
    Column("start_skew_us", "float64", "median spread of the actual starts"),
    Column("clock_error_us", "float64", "worst known clock error"),
    Column("overhead_us", "float64", "bound of the engine's own cost in one run"),
    Column("verdict", "string", "whether the row can be believed"),
    Column("reason", "string", "why not, in words"),
)

RUNS = (
    Column("launch_id", "string", "the launch"),
    Column("operation", "string", "operation"),
    Column("bytes", "int64", "message size"),
    Column("run", "int64", "number of the run, from 0"),
    Column("time_us", "float64", "largest end minus smallest start over the processes, in global time"),
    Column("local_us", "float64", "longest local duration"),
    Column("valid", "bool", "started in time and ended in the slot everywhere"),
    Column(
        "overran",
        "bool",
        "started in time everywhere and ended after the slot somewhere: a long run, part of all statistics",
    ),
)

WEATHER = (
    Column("launch_id", "string", "the launch"),
    Column("operation", "string", "operation that was measured then; empty: median of some readings before all"),
    Column("bytes", "int64", "message size"),
    Column("batch", "int64", "the batch of that row before the reading, from 0; -1 before the first row"),
    Column("runs", "int64", "runs of that row that were over: those with a lower number"),
    Column("t_s", "float64", "time since the start of the launch"),
    Column("cache_line_ns", "float64", "a cache line from one process of a host to another and back: worst pair"),
    Column("compute_ns", "float64", "a computation of a known number of cycles: slowest process"),
    Column("copy_gbs", "float64", "GB/s copied from memory to memory: slowest process"),
    Column("switches", "float64", "involuntary context switches since this was read last: most of a process"),
    Column("waited_us", "float64", "time since then that a process was ready to run and did not: longest of a process"),
    Column("steal_ms", "float64", "time that the hypervisor took from a host since this was read last: most of a host"),
    Column("frequency_mhz", "float64", "frequency of the processor as the kernel says it: lowest"),
)

TABLES = {"launches": LAUNCHES, "measurements": MEASUREMENTS, "runs": RUNS, "weather": WEATHER}
