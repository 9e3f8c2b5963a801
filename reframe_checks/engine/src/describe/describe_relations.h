/* SPDX-License-Identifier: BSD-3-Clause */
/* describe_relations.h: the relations of the document of --describe. */
#ifndef ISOCHRON_DESCRIBE_RELATIONS_H
#define ISOCHRON_DESCRIBE_RELATIONS_H

#include "base/condition.h"
#include "base/json.h"

/* {"left": fact, "is": "at-most", "times": fact, "right": fact or number, "factor": f}; words instead of right. */
void describe_condition(const char *key, const struct condition *condition, struct json *json);

void describe_relations(struct json *json);

#endif
