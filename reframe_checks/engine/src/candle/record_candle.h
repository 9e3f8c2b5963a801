/* SPDX-License-Identifier: BSD-3-Clause */
/* record_candle.h: the records of the candle's file: a header, and one for each case (isochron/schemas/run/candle.py).
 */
#ifndef ISOCHRON_RECORD_CANDLE_H
#define ISOCHRON_RECORD_CANDLE_H

#include "base/json.h"
#include "candle/candle_options.h"
#include "candle/cases.h"
#include "candle/rendezvous.h"
#include "candle/slice.h"
#include "turns/resident.h"

/* resident: NULL without turns. */
void record_candle_header(const struct candle_options *options, int argc, char **argv,
                          const struct rendezvous *rendezvous, const struct resident *resident, struct json *json);

/* slices: of the case, one for each pass. */
void record_candle_case(const struct candle_case *item, const struct slice *slices, int64_t passes, bool in_turns,
                        struct json *json);

#endif
