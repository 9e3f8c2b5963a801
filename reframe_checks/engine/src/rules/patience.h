/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * patience.h: how long a row goes on though its runs start late.
 *
 * On a machine with too few processors, processes may get into a state in which the turns that the kernel gives them
 * never meet: every message waits for a turn, all runs start late, and a row that waits for valid runs lasts minutes. A
 * batch has wasted the share of its time that its late runs are of all its runs. A row is given up when 2 s are wasted,
 * which is most of its time, and the schedule has had some batches to adapt itself.
 */
#ifndef ISOCHRON_PATIENCE_H
#define ISOCHRON_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

struct patience {
    int64_t batches;
    double all_ns, wasted_ns;
};

/* One more batch, which took so long; late of its runs started late. */
void patience_note(struct patience *patience, int64_t took_ns, int64_t runs, int64_t late);

bool patience_is_over(const struct patience *patience);

#endif
