/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c: the table of options, an entry each (see options.h). */
#include "options/options.h"

#include "options/option_rows.h"

#define OPTION_FIELDS options

static const struct option_rule OPTIONS[] = {
    TEXT("--operations", operations, "LIST",
         "operations, groups or 'all' (comma-separated); see --list. "
         "OPERATION@vector-8, @vector-32, @vector-512 or @indexed: with that datatype in place of --datatype"),
    TEXT("--sizes", size_text, "LIST|MIN:MAX:xFACTOR|MIN:MAX:+STEP",
         "message sizes in bytes, with an optional unit B, KiB, MiB or GiB"),
    TEXT("--output", output, "FILE", "JSON Lines file to write; must not exist"),
    PAIRS("--append-header", launch, "K=V ...", "notes for the header record"),
    CHOICE("--scheme", scheme, "window", SCHEME_NAMES, "how repetitions are started"),
    CHOICE("--clock-sync", clock_sync, "ring", SYNC_NAMES,
           "how all clocks are related to that of rank 0; none: all are one clock"),
    CHOICE("--offset", offset, "envelope", ESTIMATOR_NAMES, "how two clocks are compared"),
    WHOLE("--sync-patience", sync_patience, "100", 1, 100000, "D",
          "exchanges without improvement after which a comparison of clocks ends (linear, ring, tree)"),
    WHOLE("--sync-points", sync_points, "50", 3, 100000, "N",
          "comparisons of a pair of clocks, with a model of drift (hca3, jk)"),
    REAL("--sync-span", sync_span, "0.5", 1e-4, 3600, "S", "seconds over which they are spread"),
    CHOICE("--sync-nodes", sync_nodes, "auto", SYNC_NODES_NAMES,
           "shared: synchronise one process per node on behalf of those sharing its clock; flat: every process; "
           "auto: shared if possible"),
    REAL("--max-drift-ppm", max_drift_ppm, "100", 0, 1e5, "PPM",
         "largest drift between two clocks, for the bounds without a model of drift"),
    REAL("--resync-share", resync_share, "0.1", 0, 1e6, "SHARE",
         "synchronise again if clocks may have drifted apart by this share of the slot; 0: never"),
    TEXT("--test-clock", test_clock_text, "KEY=NUMBER,...", NULL),
    CHOICE("--timer", timer, "clock-gettime", TIMER_NAMES, "the clock to read; see --check-timer"),
    CHOICE("--wait", wait, "spin", WAIT_NAMES, "how a process waits for its start; sleep is for simulated machines"),
    WHOLE("--warmup-reps", warmup_reps, "4", 1, 10000, "N", "repetitions of a warm-up batch, never counted"),
    REAL("--warmup-time", warmup_time, "0", 0, 3600, "S",
         "seconds for which warm-up batches are repeated at least, and until times no longer fall; 0: one batch; "
         "always 0 with cold buffers and on a simulated machine"),
    WHOLE("--batch", batch, "8", 1, 10000, "N", "repetitions under one schedule"),
    WHOLE("--operations-per-rep", operations_per_rep, "1", 1, 10000, "N",
          "operations in a repetition, back to back, by which its time is divided; loops have --batch"),
    REAL("--max-invalid", max_invalid, "0.25", 0, 1, "SHARE",
         "share of a batch's repetitions that may be invalid before the slot grows"),
    REAL("--slot-growth", slot_growth, "1.1", 1.001, 2, "FACTOR", "growth of the slot"),
    REAL("--max-slot-us", max_slot_us, "20000", 1, 1e9, "US", "longest slot in microseconds"),
    CHOICE("--stop", stop, "relative-error", STOP_NAMES,
           "when the measurement of an operation at one size is complete"),
    REAL("--relative-error", relative_error, "0.05", 1e-6, 1, "R",
         "half interval over mean that --stop relative-error requires"),
    WHOLE("--min-valid", min_valid, "10", 1, 1000000, "N", "minimum of valid repetitions"),
    WHOLE("--max-valid", max_valid, "100", 1, 1000000, "N", "stop after N valid repetitions (not with --stop time)"),
    WHOLE("--max-reps", max_reps, "400", 1, 1000000, "N", "stop after N repetitions (not with --stop time)"),
    WHOLE("--max-volume", max_volume, "0", 0, 1e15, "BYTES",
          "stop after BYTES / message size operations, at least one repetition (not with --stop time); 0: no limit"),
    REAL("--time-budget", time_budget, "1", 1e-6, 1e6, "S", "seconds for each operation and size with --stop time"),
    WHOLE("--passes", passes, "1", 1, 1000, "N",
          "passes over all operations and sizes, each with a share of the repetitions, then further ones over those "
          "that are "
          "not precise enough; always 1 with cold buffers and on a simulated machine"),
    REAL("--pass-span", pass_span, "0", 0, 3600, "S",
         "seconds over which the begins of all passes are spread; 0: each follows the previous one"),
    REAL("--trim", trim, "0.25", 0, 0.49, "SHARE", "share of the repetitions that the mean omits at each end"),
    REAL("--confidence", confidence, "0.95", 0.5, 0.9999, "P", "of the intervals"),
    CHOICE("--buffers", buffers, "warm", BUFFERS_NAMES,
           "warm: repetitions use the same buffers; cold: buffers that are not in the cache"),
    WHOLE("--alignment", alignment, "64", 8, 1 << 30, "N", "of the buffers, in bytes, a power of two"),
    WHOLE("--root", root, "0", 0, 1e9, "R", "root of rooted operations"),
    FORMS("--datatype", datatype, "auto", ELEMENT_FORMS,
          "auto|byte|int|float|double|vector:COUNT:BLOCK:STRIDE|indexed:LENGTH@PLACE,...",
          "auto: byte to move data; to reduce, float or, for sizes not divisible by 4, signed char"),
    CHOICE("--counts", counts, "balanced", COUNTS_NAMES,
           "of operations with a count per process; unbalanced: from 0 to twice the mean"),
    FLAG("--in-place", in_place, "use MPI_IN_PLACE"),
    FLAG("--large-counts", large_counts, "use the calls with MPI_Count, such as MPI_Bcast_c"),
    CHOICE("--topology", topology, "cart", TOPOLOGY_NAMES, "of neighbourhood operations"),
    WHOLE("--group-size", group_size, "0", 0, 1e9, "N",
          "processes in a group of messages, transfers, topologies and bursts, within each of --groups; 0: pairs, or "
          "all"),
    WHOLE("--burst", burst, "64", 1, 10000, "N",
          "messages to each peer at once, of the operations with burst or fan in their name"),
    CHOICE("--rma-window", rma_window, "allocate", RMA_WINDOW_NAMES,
           "of one-sided operations: by MPI_Win_allocate, MPI_Win_create, MPI_Win_create_dynamic or "
           "MPI_Win_allocate_shared"),
    CHOICE("--rma-sync", rma_sync, "flush", RMA_SYNC_NAMES,
           "of one-sided operations; flush, flush-local: under a lock that is held; lock, lock-all: with unlock; pscw: "
           "post, start, complete, wait"),
    FLAG("--buffered-sends", buffered_sends,
         "send messages by MPI_Bsend or MPI_Ibsend from an attached buffer; other operations are not supported"),
    WHOLE("--send-buffer", send_buffer, "0", 0, 2147483647, "BYTES",
          "with --buffered-sends: size of the attached buffer; 0: room for the messages of two batches"),
    WHOLE("--threads", threads, "0", 0, 256, "N",
          "threads of each process, of operations with threads in their name; from 1 on the launch has "
          "MPI_THREAD_MULTIPLE, otherwise the level of MPI_Init"),
    FLAG("--overlap", overlap,
         "measure the progress of nonblocking and persistent operations while the process computes"),
    CHOICE("--reduce-op", reduce_op, "sum", REDUCTION_NAMES, "of reductions"),
    FORMS("--arrival", arrival_text, "none", ARRIVAL_FORMS, "none|ascending|descending|random:SEED|one-late:US",
          "when each process arrives at a repetition; one-late: the last rank by US"),
    REAL("--arrival-spread-us", arrival_spread_us, "100", 0.001, 1e9, "US",
         "time from the first arrival to the last, for ascending, descending and random"),
    FORMS("--rank-order", rank_order_text, "identity", RANK_ORDER_FORMS, "identity|reverse|random:SEED|list:FILE",
          "order of the ranks in the measured communicator"),
    FORMS("--groups", groups_text, "all", GROUPS_FORMS, "all|node|halves|strided:N|size:N|active:N",
          "groups of processes that execute the operation at the same time; node: of each host; strided: N groups, by "
          "rank modulo N; size: of N consecutive ranks; active: the first N ranks, the others wait"),
    FLAG("--check", check, "verify the data of every operation and size"),
    WHOLE("--corrupt-rank", corrupt_rank, "-1", -1, 1e9, NULL, NULL),
    FLAG("--per-rank", per_rank, "record the start and end of every repetition on every rank"),
    FLAG("--memory", memory, "record the memory use of the MPI library"),
    FLAG("--first-call", first_call,
         "time the first call of the launch, of one operation at one size, before the engine sends anything"),
    CHOICE("--probes", probes, "record", PROBES_NAMES,
           "record: read the state of the machine between batches, in less than 1 % of the time; gate: also repeat "
           "what was "
           "measured in a disturbed regime, in at most 30 % more time"),
    TEXT("--probe-history", probe_history, "FILE",
         "with --probes gate: file with probe readings of earlier launches; this launch appends its own"),
    TEXT("--test-probes", test_probes_text, "regime:FIRST:COUNT:FACTOR|blocked:FIRST", NULL),
    TEXT("--turns", turns, "SEGMENT",
         "measure in turns with other launches on the same processors, by a shared segment of that name on each node"),
    TEXT("--turn", turn_text, "I/N", "with --turns: this launch is resident I (from 0) of N"),
    WHOLE("--turn-seed", turn_seed, "0", 0, 4294967295, "SEED", "with --turns: seed of the order of the turns"),
    REAL("--turn-limit", turn_limit, "10", 0.01, 86400, "S",
         "with --turns: a turn that takes more seconds is lost, and this launch ends; for starting and ending 6 S"),
    REAL("--turn-time", turn_time, "2", 0.001, 86400, "S",
         "with --turns: after so many seconds of a turn, or a fifth of --turn-limit, no further batch begins"),
    WHOLE("--turn-passes", turn_passes, "1", 1, 1000, "N",
          "with --turns: passes over all cases in a row in each turn; a divisor of --passes"),
    WHOLE("--turn-last", turn_last, "-1", -1, TURN_SPEC_MAX - 1, "I",
          "with --turns: the resident that ends last; -1: as they are numbered"),
    WHOLE("--solo-passes", solo_passes, "0", 0, 1000, "N",
          "further passes without turns of others in between, and of the resident of --turn-last as many when all "
          "others have ended, recorded apart"),
    WHOLE("--expect-ranks", expect_ranks, "0", 0, 1e9, "N", "exit 3 unless there are N processes"),
    WHOLE("--expect-hosts", expect_hosts, "0", 0, 1e9, "M", "exit 3 unless they run on M hosts"),
    FLAG("--list", list, "print the operations and what their bytes mean"),
    CHOICE("--describe", describe, "nothing", DESCRIBE_NAMES,
           "json: print options, relations and operations for other programs"),
    FLAG("--check-options", check_options,
         "check this command line without MPI; --expect-ranks is the number of processes"),
    FLAG("--check-timer", check_timer, "test every timer and print a verdict for each"),
    FLAG("--help", help, "print this text"),
    FLAG("--version", version, "print the versions of the engine and the MPI library"),
};

enum { OPTION_COUNT = sizeof OPTIONS / sizeof OPTIONS[0] };

const struct option_rule *option_table(size_t *count)
{
    *count = OPTION_COUNT;
    return OPTIONS;
}

size_t option_find(const char *name)
{
    return option_index(OPTIONS, OPTION_COUNT, name);
}
