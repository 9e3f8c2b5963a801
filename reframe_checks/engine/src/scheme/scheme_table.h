/* SPDX-License-Identifier: BSD-3-Clause */
/* scheme_table.h: the measurement schemes by name. */
#ifndef ISOCHRON_SCHEME_TABLE_H
#define ISOCHRON_SCHEME_TABLE_H

#include "scheme/scheme.h"

const struct scheme *scheme_find(const char *name);

#endif
