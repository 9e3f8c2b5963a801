/* SPDX-License-Identifier: BSD-3-Clause */
/* scheme_table.h: the measurement schemes. */
#ifndef ISOCHRON_SCHEME_TABLE_H
#define ISOCHRON_SCHEME_TABLE_H

#include "scheme/scheme.h"
#include "words/choices.h"

const struct scheme *scheme_of(enum scheme_choice choice);

#endif
