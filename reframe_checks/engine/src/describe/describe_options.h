/* SPDX-License-Identifier: BSD-3-Clause */
/* describe_options.h: the options of the document of --describe. */
#ifndef ISOCHRON_DESCRIBE_OPTIONS_H
#define ISOCHRON_DESCRIBE_OPTIONS_H

#include "base/json.h"

void describe_options(struct json *json);

#endif
