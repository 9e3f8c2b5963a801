/* SPDX-License-Identifier: BSD-3-Clause */
/* relation_table.h: every relation of the engine's options (see relation.h). */
#ifndef ISOCHRON_RELATION_TABLE_H
#define ISOCHRON_RELATION_TABLE_H

#include "options/relation.h"

/* The tables; *count receives the length. */
const struct relation *relation_table(size_t *count);
const struct implication *implication_table(size_t *count);

#endif
