/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * options.h: the command line.
 *
 * One table (option_table.c) gives each option its name, kind, default, limits, help and the field it sets; parsing,
 * the help text and the header record all read that table. Parsing acts on nothing: it fills struct options or
 * says in one line what is wrong and what would be right.
 */
#ifndef ISOCHRON_OPTIONS_H
#define ISOCHRON_OPTIONS_H

#include "arrival.h"
#include "element.h"
#include "fault.h"
#include "json.h"
#include "rank_order.h"
#include "sizes.h"
#include "test_clock_spec.h"
#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { OPTIONS_KEY_LIMIT = 100 }; /* longest K of --append-header K=V */

struct options {
    const char *operations;
    const char *size_text;
    struct sizes sizes;
    const char *output;
    const char **launch; /* "K=V" of --append-header */
    size_t launch_count;

    const char *scheme;
    const char *clock_sync;
    const char *offset;
    int64_t sync_points;
    double sync_span;
    const char *sync_nodes;
    double max_drift_ppm;
    double resync_share;
    const char *test_clock_text;
    struct test_clock_spec test_clock;
    const char *timer;
    const char *wait;

    int64_t initial_runs;
    int64_t batch;
    double max_invalid;
    double slot_growth;
    double max_slot_us;

    const char *stop;
    double relative_error;
    int64_t min_valid;
    int64_t max_valid;
    int64_t max_runs;
    double time_budget;
    double trim;
    double confidence;

    const char *buffers;
    int64_t alignment;
    int64_t root;
    const char *datatype;
    struct element element; /* of a derived datatype */
    const char *counts;
    bool in_place;
    bool large_counts;
    const char *topology;
    int64_t group_size; /* 0: the operation's own */
    bool overlap;
    const char *reduce_op;
    const char *arrival_text;
    struct arrival arrival;
    double arrival_spread_us;
    const char *rank_order_text;
    struct rank_order rank_order;
    bool check;
    int64_t corrupt_rank; /* -1: none */
    bool per_rank;
    bool memory;

    int64_t expect_ranks; /* 0: any number */
    int64_t expect_hosts;
    bool list;
    bool check_timer;
    bool help;
    bool version;
};

enum option_kind { OPTION_TEXT, OPTION_CHOICE, OPTION_INTEGER, OPTION_REAL, OPTION_FLAG, OPTION_PAIRS };

struct option_rule {
    const char *name; /* with the two dashes */
    enum option_kind kind;
    size_t field;        /* offset in struct options */
    const char *initial; /* default as one would type it; NULL: none */
    double low, high;    /* limits of a number */
    const char *choices; /* "a|b|c"; or the placeholder of a value in the help */
    const char *now;     /* the choices this version has, where it has not all; "" for a flag it has not */
    const char *help; /* NULL: an option for tests, which the help leaves out */
};

/* The table; *count receives its length. */
const struct option_rule *option_table(size_t *count);

/* Fills options from argv; sizes and launch are to be freed by options_free in any case. */
int options_parse(int argc, char **argv, struct options *options, struct fault *fault);

/* Writes all effective values but the lists of operations and sizes as members of the open JSON object. */
void options_write(const struct options *options, struct json *json);

/* The help text. */
void options_help(FILE *stream);

void options_free(struct options *options);

#endif
