/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * options.h: all options of the engine and their table.
 *
 * The table gives each option its name, kind, default, limits, help and the field that it sets; the parser, the help
 * text, the header record (command_line.h) and --describe use it. Relations between options are in relations.h.
 */
#ifndef ISOCHRON_OPTIONS_H
#define ISOCHRON_OPTIONS_H

#include "option_values/arrival.h"
#include "option_values/choices.h"
#include "option_values/element.h"
#include "option_values/grammar.h"
#include "option_values/groups.h"
#include "option_values/rank_order.h"
#include "option_values/sizes.h"
#include "option_values/synthetic_clock_spec.h"
#include "option_values/turn_spec.h"
#include "options/option_parser.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct options {
    const char *operations;
    const char *size_text;
    struct sizes sizes;
    const char *output;
    struct option_pairs launch; /* of --append-header */

    enum scheme_choice scheme;
    enum sync_choice clock_sync;
    enum estimator_choice offset;
    int64_t sync_patience;
    int64_t sync_points;
    double sync_span;
    enum sync_nodes_choice sync_nodes;
    double max_drift_ppm;
    double resync_share;
    const char *test_clock_text;
    struct synthetic_clock_spec test_clock;
    enum timer_choice timer;
    enum wait_choice wait;

    int64_t warmup_reps;
    double warmup_time;
    int64_t batch;
    int64_t operations_per_rep;
    double max_invalid;
    double slot_growth;
    double max_slot_us;

    enum stop_choice stop;
    double relative_error;
    int64_t min_valid;
    int64_t max_valid;
    int64_t max_reps;
    int64_t max_volume; /* bytes of messages of an operation at one size; 0: no limit */
    double time_budget;
    int64_t passes;
    double pass_span;
    double trim;
    double confidence;

    enum buffers_choice buffers;
    int64_t alignment;
    int64_t root;
    const char *datatype;
    struct element element; /* of a derived datatype */
    enum counts_choice counts;
    bool in_place;
    bool large_counts;
    enum topology_choice topology;
    int64_t group_size; /* 0: the default of the operation */
    int64_t burst;
    enum rma_window_choice rma_window;
    enum rma_sync_choice rma_sync;
    bool buffered_sends;
    int64_t send_buffer; /* 0: as the messages need */
    int64_t threads;     /* 0: MPI_Init; else MPI_THREAD_MULTIPLE */
    bool overlap;
    enum reduction_choice reduce_op;
    const char *arrival_text;
    struct arrival arrival;
    double arrival_spread_us;
    const char *rank_order_text;
    struct rank_order rank_order;
    const char *groups_text;
    struct groups groups;
    bool check;
    int64_t corrupt_rank; /* -1: none */
    bool per_rank;
    bool memory;
    bool first_call;
    enum probes_choice probes;
    const char *probe_history;
    const char *test_probes_text;

    const char *turns; /* the shared segment; NULL: this launch measures alone */
    const char *turn_text;
    struct turn_spec turn;
    int64_t turn_seed;
    double turn_limit;
    double turn_time;
    int64_t turn_passes;
    int64_t turn_last; /* -1: none */
    int64_t solo_passes;

    int64_t expect_ranks; /* 0: any number */
    int64_t expect_hosts;
    bool list;
    bool check_options;
    enum describe_choice describe;
    bool check_timer;
    bool help;
    bool version;

    bool *present; /* for each option of the table: it is on the command line */
};

/* Return the table and set *count to its length. */
const struct option_rule *option_table(size_t *count);

/* Return the index of the option of that name, with the dashes; the length of the table if there is none. */
size_t option_find(const char *name);

#endif
