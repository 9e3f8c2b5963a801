/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * options.h: the command line.
 *
 * One table (option_table.c) gives each option its name, kind, default, limits, help and the field it sets; parsing,
 * the help text, the header record and --describe all read that table. What options ask of each other is another table
 * (relation_table.c). Parsing acts on nothing: it fills struct options or
 * says in one line what is wrong and what would be right.
 */
#ifndef ISOCHRON_OPTIONS_H
#define ISOCHRON_OPTIONS_H

#include "base/fault.h"
#include "words/arrival.h"
#include "words/choices.h"
#include "words/element.h"
#include "words/rank_order.h"
#include "words/sizes.h"
#include "words/synthetic_clock_spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OPTIONS_KEY_LIMIT = 100 }; /* longest K of --append-header K=V */

struct options {
    const char *operations;
    const char *size_text;
    struct sizes sizes;
    const char *output;
    const char **launch; /* "K=V" of --append-header */
    size_t launch_count;

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
    int64_t group_size; /* 0: the operation's own */
    bool buffered_sends;
    bool overlap;
    enum reduction_choice reduce_op;
    const char *arrival_text;
    struct arrival arrival;
    double arrival_spread_us;
    const char *rank_order_text;
    struct rank_order rank_order;
    bool check;
    int64_t corrupt_rank; /* -1: none */
    bool per_rank;
    bool memory;
    bool first_call;
    enum weather_choice weather;
    const char *probe_history;
    const char *test_probes_text;

    int64_t expect_ranks; /* 0: any number */
    int64_t expect_hosts;
    bool list;
    bool check_options;
    enum describe_choice describe;
    bool check_timer;
    bool help;
    bool version;

    bool *given; /* of each option of the table, whether it stands on the command line */
};

#endif
