# SPDX-License-Identifier: BSD-3-Clause
"""Columns of the tables of the store: name, pandas type, meaning. Units are part of the names."""

from typing import NamedTuple


class Column(NamedTuple):
    """One column of a table."""

    name: str
    dtype: str
    meaning: str


#: The columns that identify a measurement.
_ROW = (
    Column("launch_id", "string", "the launch"),
    Column("operation", "string", "operation"),
    Column("bytes", "int64", "message size"),
)
RANKS = (
    *_ROW,
    Column("rep", "int64", "number of the repetition, from 0"),
    Column("rank", "int64", "rank in MPI_COMM_WORLD"),
    Column("start_us", "float64", "its start, relative to the first start of all ranks"),
    Column("end_us", "float64", "its end, relative to the first start of all ranks"),
    Column("begin_us", "float64", "that first start, relative to that of the measurement's first repetition"),
    Column("slot_us", "float64", "slot of the repetition; 0: none"),
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
    Column("host", "string", "host that was named, or that of the rank; empty if only repetitions were counted"),
    Column("rank", "float64", "rank; empty: the host as a whole"),
    Column(
        "counted",
        "string",
        "what is counted: `batches` in which the host or rank was named, `runs` that it invalidated",
    ),
    Column("late_start", "int64", "of these, those with a late start"),
    Column("overrun", "int64", "of these, those that ended after the slot"),
    Column("late_start_p", "float64", "corrected p value of this number under chance"),
    Column("overrun_p", "float64", "corrected p value of this number under chance"),
)
MEMORY = (
    Column("launch_id", "string", "the launch"),
    Column("step", "string", "step of the library's initialisation after which memory was read"),
    Column("figure", "string", "kind of memory, as in the raw file: `pss_bytes`, `private_bytes` …"),
    Column("host", "string", "host; empty: over all processes of the launch"),
    Column("processes", "int64", "processes there"),
    Column("sum_bytes", "float64", "sum over these processes"),
    Column("min_bytes", "float64", "smallest of a process"),
    Column("median_bytes", "float64", "median of the processes"),
    Column("max_bytes", "float64", "largest of a process"),
)
STARTUP = (
    Column("launch_id", "string", "the launch"),
    Column("step", "string", "`launcher`, `loading`, `init`, `first message`, `first barrier` or `finalize`"),
    Column(
        "min_us",
        "float64",
        "duration on the fastest process; empty for `launcher`, and for `finalize`, which is that of rank 0",
    ),
    Column("median_us", "float64", "median duration of the processes"),
    Column("max_us", "float64", "duration on the slowest process"),
    Column(
        "all_us",
        "float64",
        "until the last process has done it: from the first begin of `loading` or `init`, from the last begin of a "
        "first message or barrier; of `launcher`, from its start to that of the first process",
    ),
)
CLOCKS = (
    Column("launch_id", "string", "the launch"),
    Column("epoch", "int64", "number of the synchronisation, from 0"),
    Column("phase", "string", "`before` or `after` the repetitions"),
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
    Column("nodes", "int64", "nodes requested"),
    Column("placement", "string", "how processes were placed on the nodes"),
    Column("block", "int64", "number of the block"),
    Column("launch", "int64", "number of the launch in its block, stack and point"),
    Column("attempt", "int64", "attempt at the block in which the launch succeeded"),
    Column("started_at", "datetime64[us, UTC]", "start of the launch"),
    Column("duration_s", "float64", "from start to end of the engine"),
    Column("command", "string", "command line of the engine"),
    Column("options", "string", "every effective option of the engine, as JSON"),
    Column("contrast", "string", "the campaign's contrast that was measured; empty: none"),
    Column("buffers", "string", "whether repetitions find their data in the cache: `warm` or `cold`"),
    Column("reduce_op", "string", "operator of reductions"),
    Column("buffered_sends", "bool", "whether messages were sent from an attached buffer"),
    Column(
        "sync_patience", "float64", "exchanges without a shorter round trip after which a comparison of clocks ended"
    ),
    Column("max_invalid", "float64", "share of a batch's repetitions that could be invalid before the slot grew"),
    Column("slot_growth", "float64", "factor by which it grew then"),
    Column("mpi_standard", "string", "version of the MPI standard that the library reports"),
    Column(
        "thread_level", "string", "level of threads that the library gave, such as `multiple`; empty: an older engine"
    ),
    Column("threads_pinned", "bool", "whether every thread of `engine.threads` had a processor of its own"),
    Column("compiler", "string", "compiler that built the engine"),
    Column("rank_order", "string", "rank in MPI_COMM_WORLD of each measured rank; empty: the same"),
    Column("arrival", "string", "when each rank comes to a repetition: value of the option"),
    Column("arrival_us", "string", "how long after the start each rank came, in order of ranks; empty: all at once"),
    Column("arrival_spread_us", "float64", "from the first arrival to the last; 0: all at once"),
    Column("cache_bytes", "float64", "the largest cache that a processor sees"),
    Column("hosts", "string", "distinct hosts, separated by commas"),
    Column("oversubscribed", "bool", "more processes, or threads, on a node than cores"),
    Column("timer", "string", "timer used"),
    Column("timer_resolution_us", "float64", "smallest step of the timer"),
    Column("timer_cost_us", "float64", "cost of one reading"),
    Column("timer_rate_ppm", "float64", "its rate against CLOCK_MONOTONIC_RAW"),
    Column("clock_sources", "string", "distinct clock sources of the nodes' kernels"),
    Column("clock_sync", "string", "clock synchronisation"),
    Column("clock_estimator", "string", "estimator of a clock offset"),
    Column("clock_sync_ms", "float64", "how long the first synchronisation of the launch took"),
    Column("clock_error_before_us", "float64", "largest offset directly after the synchronisation"),
    Column("clock_error_after_us", "float64", "largest offset after the repetitions"),
    Column("clock_bound_us", "float64", "largest stated bound of the synchronisation"),
    Column(
        "clock_true_before_us",
        "float64",
        "the same as `clock_error_before_us`, the true value, if clocks are synthetic",
    ),
    Column(
        "clock_true_after_us", "float64", "the same as `clock_error_after_us`, the true value, if clocks are synthetic"
    ),
    Column("overhead_us", "float64", "median time of an empty operation: upper bound of the time that the engine adds"),
    Column("overhead_low_us", "float64", "interval of that median"),
    Column("overhead_high_us", "float64", "interval of that median"),
    Column("overhead_from_last_us", "float64", "the same from the last start on: lower bound"),
    Column("overhead_from_last_low_us", "float64", "interval of that median"),
    Column("overhead_from_last_high_us", "float64", "interval of that median"),
    Column("overhead_reps", "float64", "valid repetitions of the empty operation; empty if it was not measured"),
    Column("probes_read", "bool", "whether probes were read between batches"),
    Column("probes_why_not", "string", "reason, if it was not"),
    Column("cache_line_pairs", "float64", "pairs of processes that pass a cache line back and forth"),
    Column("network_pairs", "float64", "pairs of hosts between which a round trip is read"),
    Column("network_by", "string", "`udp`: by datagrams; `mpi`: by the MPI library; empty: not read"),
    Column("network_why_not", "string", "reason, if not by datagrams between all pairs"),
    Column("network_lost", "float64", "pairs whose readings were stopped during the launch, for lack of answers"),
    Column("earlier_line_ns", "float64", "cache line in earlier launches of the library; empty if none gated"),
    Column("own_messages", "float64", "messages of the engine, in a simulated launch"),
    Column("mapped_bytes", "float64", "bytes of the buffers of all processes, in a simulated launch"),
    Column("gate_limit_ns", "float64", "cache line above which a batch is disturbed; empty without gating"),
    Column(
        "gate_extra_s", "float64", "time for waiting, and for repetitions that do not count, because of other regimes"
    ),
    Column("simulated", "bool", "measured under a simulator"),
    Column("simulation", "string", "simulator, network model, selector of collectives, machine; empty: a real one"),
    Column("file", "string", "raw file, relative to the run's folder"),
    Column("raw_sha256", "string", "SHA-256 of that file, by which later calls skip what is stored"),
)

MEASUREMENTS = (
    Column("launch_id", "string", "the launch"),
    Column("operation", "string", "operation, named as in the MPI standard"),
    Column("bytes", "int64", "message size, as defined for the operation"),
    Column("groups", "string", "groups of processes that executed it at the same time; `all`: one group of all"),
    Column("group_count", "int64", "how many groups these were"),
    Column("active", "int64", "processes that were in a group; the others waited"),
    Column("scheme", "string", "measurement scheme"),
    Column("clock_sync", "string", "clock synchronisation"),
    Column("timer", "string", "timer"),
    Column("epoch", "int64", "synchronisation under which it was measured"),
    Column("datatype", "string", "datatype of the elements"),
    Column("root", "float64", "root of a rooted operation"),
    Column("operations_per_rep", "int64", "1; in loops the operations by which times are divided already"),
    Column("counts", "string", "whether all processes have the same count: `balanced` or `unbalanced`"),
    Column(
        "bytes_moved", "float64", "bytes that one repetition moves, as bandwidth is defined for it; empty: undefined"
    ),
    Column("messages", "float64", "messages of one repetition, of all processes, where they are bursts; empty: others"),
    Column("bandwidth_mb_per_s", "float64", "`bytes_moved` / median of a repetition; 1 MB is 10⁶ bytes"),
    Column("reps_made", "int64", "repetitions made"),
    Column("pass_reps", "string", "how many of them each pass over the measurement has made, as `8 8 8`"),
    Column("reps_valid", "int64", "repetitions that started in time and ended in their slot on every process"),
    Column("reps_used", "int64", "repetitions that started in time, less those that are trimmed"),
    Column("invalid_late_start", "int64", "repetitions in which a process started late"),
    Column("invalid_overrun", "int64", "repetitions in which a process ended after the slot"),
    Column("invalid_disturbed", "int64", "repetitions excluded because the machine was in another regime"),
    Column("slot_us", "float64", "last slot length"),
    Column("first_call_us", "float64", "first call of the measurement; the engine's own messages came before it"),
    Column("second_call_us", "float64", "second call, on another buffer"),
    Column("mean_us", "float64", "trimmed mean"),
    Column("se_us", "float64", "its winsorised standard error"),
    Column(
        "autocorrelation",
        "float64",
        "of neighbouring repetitions; intervals that are made from repetitions are widened for it",
    ),
    Column("interval_basis", "string", "what the intervals are made from: `passes`, or with fewer than five `runs`"),
    Column("ci_low_us", "float64", "interval of the trimmed mean"),
    Column("ci_high_us", "float64", "interval of the trimmed mean"),
    Column("confidence", "float64", "of the intervals"),
    Column("median_us", "float64", "median of the repetitions that started in time"),
    Column("median_low_us", "float64", "interval of the median: from repetitions the exact binomial one"),
    Column("median_high_us", "float64", "interval of the median"),
    Column("min_us", "float64", "shortest of them"),
    Column("max_us", "float64", "longest of them"),
    Column("local_median_us", "float64", "median over them of the longest local duration"),
    Column("start_skew_us", "float64", "median spread of the actual starts"),
    Column("rank_avg_us", "float64", "mean over processes of the mean duration of a repetition on each (t_avg of IMB)"),
    Column("rank_min_us", "float64", "the least of these means (t_min)"),
    Column("rank_max_us", "float64", "the greatest of them (t_max)"),
    Column("rank_zero_us", "float64", "that of process 0, as the MSU tests take their times"),
    Column("from_last_mean_us", "float64", "with arrivals, from the last start on: trimmed mean"),
    Column("from_last_se_us", "float64", "its winsorised standard error"),
    Column("from_last_ci_low_us", "float64", "interval of that mean"),
    Column("from_last_ci_high_us", "float64", "interval of that mean"),
    Column("from_last_median_us", "float64", "median from the last start on"),
    Column("from_last_median_low_us", "float64", "interval of that median: from repetitions the exact binomial one"),
    Column("from_last_median_high_us", "float64", "interval of that median"),
    Column("from_last_min_us", "float64", "shortest time from the last start on"),
    Column("from_last_max_us", "float64", "longest time from the last start on"),
    Column("from_last_autocorrelation", "float64", "of neighbouring times from the last start on"),
    Column("cold_sets", "float64", "sets of cold buffers"),
    Column("cold_ring_bytes", "float64", "bytes of all these sets"),
    Column("cold_first_touch_us", "float64", "to touch all their pages"),
    Column("cold_first_use_us", "float64", "median of the uncounted repetitions that were the first on their buffers"),
    Column(
        "late_calls", "float64", "of a launch that times its very first call: later calls; else all of these are empty"
    ),
    Column("late_rank0_first_us", "float64", "the very first call on rank 0, by its own clock"),
    Column("late_rank0_second_us", "float64", "the call directly after it, on another buffer"),
    Column("late_rank0_later_us", "float64", "median of the later calls"),
    Column(
        "late_slowest_first_us", "float64", "the very first call on the process that took longest, by its own clock"
    ),
    Column("late_slowest_second_us", "float64", "the same for the second call"),
    Column("late_slowest_later_us", "float64", "the same for the later calls: median"),
    Column("late_slowest_rank", "float64", "rank that took longest in the first call"),
    Column("late_span_first_us", "float64", "of the first call last end minus first start, by synchronised clocks"),
    Column("late_skew_first_us", "float64", "of the first call last start minus first start, by synchronised clocks"),
    Column(
        "cost_timer_us", "float64", "of a basic item: one reading of the timer, DT, as all costs the mean on process 0"
    ),
    Column("cost_barrier_us", "float64", "of a basic item: a barrier less DT, DB"),
    Column("cost_us", "float64", "of a basic item: its mean less DT and DB"),
    Column("batches", "float64", "counted batches: the trials of the search for stragglers"),
    Column("wrong_rank", "float64", "rank that had the first wrong element"),
    Column("wrong_element", "float64", "that element"),
    Column("wrong_expected", "float64", "what it should be"),
    Column("wrong_found", "float64", "what it was"),
    Column("causality_violations", "float64", "messages that arrived before they were sent"),
    Column("causality_worst_us", "float64", "largest violation"),
    Column("causality_rank", "float64", "rank whose clock is furthest off"),
    Column("causality_error_us", "float64", "by how much"),
    Column("clock_error_us", "float64", "worst known clock error"),
    Column("clock_rank", "float64", "rank with this error"),
    Column("clock_bound_us", "float64", "worst half width within which an error is known"),
    Column("probes_spent_us", "float64", "time of all probe readings during the measurement"),
    Column("verdict", "string", "verdict on the measurement"),
    Column("reason", "string", "reason of the verdict"),
)

REPETITIONS = (
    Column("launch_id", "string", "the launch"),
    Column("operation", "string", "operation"),
    Column("bytes", "int64", "message size"),
    Column("rep", "int64", "number of the repetition, from 0"),
    Column("time_us", "float64", "largest end minus smallest start over the processes, in global time"),
    Column("local_us", "float64", "longest local duration"),
    Column("valid", "bool", "started in time and ended in the slot on every process"),
    Column(
        "overran",
        "bool",
        "started in time on every process and ended after the slot on some: a long repetition, used in all statistics",
    ),
    Column("disturbed", "bool", "made outside the quiet regime of the launch"),
)

PROBES = (
    Column("launch_id", "string", "the launch"),
    Column("operation", "string", "operation being measured; empty: median of the readings before the first operation"),
    Column("bytes", "int64", "message size"),
    Column("batch", "int64", "the batch of that measurement before the reading, from 0; -1 before the first batch"),
    Column("reps", "int64", "number of completed repetitions of that measurement"),
    Column("t_s", "float64", "time since the start of the launch"),
    Column("cache_line_ns", "float64", "round trip of a cache line between two processes of a host: worst pair"),
    Column("compute_ns", "float64", "time of a fixed number of cycles: slowest process"),
    Column("copy_gbs", "float64", "GB/s copied from memory to memory: slowest process"),
    Column("switches", "float64", "involuntary context switches since the last reading: largest of a process"),
    Column(
        "waited_us",
        "float64",
        "time since the last reading that a process was ready but not running: largest of a process",
    ),
    Column("steal_ms", "float64", "time that the hypervisor took since the last reading: largest of a host"),
    Column("frequency_mhz", "float64", "lowest processor frequency reported by the kernel"),
    Column("network_us", "float64", "round trip between hosts: worst pair"),
    Column("network_by", "string", "`udp`: by datagrams; `mpi`: by the MPI library; empty: not read"),
)

#: Value of `network_by` for readings without the MPI library.
BY_DATAGRAMS = "udp"

SLICES = (
    Column("launch_id", "string", "the launch"),
    Column("session", "string", "the launches that took turns with each other"),
    Column("operation", "string", "operation"),
    Column("bytes", "int64", "message size"),
    Column(
        "others",
        "string",
        "the other launches of the session: `turns`: they had turns in between; `ended`: all of them had ended",
    ),
    Column("round", "int64", "number of the round, from 0"),
    Column("position", "int64", "place of the launch in the order of the round, from 0"),
    Column("t_s", "float64", "begin of the case by the clock of the first node, which all launches of a session share"),
    Column("turn_us", "float64", "time for the case, with its warm-up, in all passes of the turn"),
    Column("waited_us", "float64", "time asleep before it, 0 if the launch had the turn already"),
    Column("slept_cpu_us", "float64", "processor time of all threads of a process meanwhile: largest of a process"),
    Column("handover_us", "float64", "from the end of the previous turn until the last process of a node ran"),
    Column("warmup_reps", "int64", "repetitions before the counted ones"),
    Column("reps", "int64", "repetitions that started in time"),
    Column("median_us", "float64", "their median; empty if none did"),
    Column("first_us", "float64", "median of those of the first pass of the turn; empty if the turn has one pass"),
    Column("again_us", "float64", "median of those of its further passes, before which no other launch had the turn"),
)

#: The tables of the store by name.
TABLES = {
    "launches": LAUNCHES,
    "measurements": MEASUREMENTS,
    "repetitions": REPETITIONS,
    "probes": PROBES,
    "slices": SLICES,
    "ranks": RANKS,
    "loops": LOOPS,
    "overlap": OVERLAP,
    "stragglers": STRAGGLERS,
    "memory": MEMORY,
    "startup": STARTUP,
    "clocks": CLOCKS,
}
