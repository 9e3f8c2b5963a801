/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h: what the basic items cost. */
#ifndef ISOCHRON_COST_H
#define ISOCHRON_COST_H

#include "measure/measurement.h"

/* What the basic items among the rows, which have been judged, cost: their medians less those of timer and barrier. */
void cost_find(struct measurement *rows, size_t count);

#endif
