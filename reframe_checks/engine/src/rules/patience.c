/* SPDX-License-Identifier: BSD-3-Clause */
/* patience.c: time that late starts have wasted (see patience.h). */
#include "rules/patience.h"

/* In so many batches slot and lead double as often as they may. */
enum { PATIENCE_BATCHES = 8 };
static const double PATIENCE_NS = 2e9;
static const double PATIENCE_SHARE = 0.5;

void patience_note(struct patience *patience, int64_t took_ns, int64_t runs, int64_t late)
{
    patience->batches++;
    patience->all_ns += (double)took_ns;
    patience->wasted_ns += (double)took_ns * (double)late / (double)runs;
}

bool patience_is_over(const struct patience *patience)
{
    return patience->batches >= PATIENCE_BATCHES && patience->wasted_ns >= PATIENCE_NS &&
           patience->wasted_ns >= PATIENCE_SHARE * patience->all_ns;
}
