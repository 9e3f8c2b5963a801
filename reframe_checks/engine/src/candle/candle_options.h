/* SPDX-License-Identifier: BSD-3-Clause */
/* candle_options.h: the command line of isochron-candle; options of the engine have the engine's names and forms. */
#ifndef ISOCHRON_CANDLE_OPTIONS_H
#define ISOCHRON_CANDLE_OPTIONS_H

#include "option_values/sizes.h"
#include "option_values/turn_spec.h"
#include "options/option_parser.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct candle_options {
    const char *operations, *size_text, *output;
    struct sizes sizes;
    struct option_pairs notes; /* for the header */
    int64_t passes, batch;
    const char *turns, *turn_text;
    struct turn_spec turn;
    int64_t turn_seed, turn_last;
    double turn_limit;
    int64_t expect_ranks; /* 0: any number */
    const char *rendezvous;
    double patience; /* seconds */
    int64_t test_nodes;
    double test_lost;
    bool list, help, version;
};

/* Fill the options; to be freed in any case. A usage fault, or a system fault if memory is short. */
int candle_options_parse(int argc, char **argv, struct candle_options *options, struct fault *fault);

void candle_options_free(struct candle_options *options);

void candle_options_help(FILE *stream);

#endif
