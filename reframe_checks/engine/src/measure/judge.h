/* SPDX-License-Identifier: BSD-3-Clause */
/* judge.h: the one place where a row gets its statistics and its verdict (rules/verdict.h). */
#ifndef ISOCHRON_JUDGE_H
#define ISOCHRON_JUDGE_H

#include "measure/measurement.h"

/* On rank 0, after the clocks were looked at for the last time: fills the judgement of all rows. */
void judge_rows(const struct session *session, struct measurement *rows, size_t count);

#endif
