/* SPDX-License-Identifier: BSD-3-Clause */
/* record_first_call.c: the first call of a launch beside later ones (see record_first_call.h). */
#include "record/record_first_call.h"

#include "first/first_call.h"

void record_first_call(const struct session *session, struct json *json)
{
    const struct first_call *const first = session->first;
    if (first == NULL || !first->known) {
        json_null(json, "late_initialisation");
        return;
    }
    json_open(json, "late_initialisation", '{');
    json_integer(json, "calls", FIRST_CALL_LATER);
    json_integer(json, "rank0_first_ns", first->rank0.first);
    json_integer(json, "rank0_second_ns", first->rank0.second);
    json_integer(json, "rank0_later_ns", first->rank0.later);
    json_integer(json, "slowest_first_ns", first->slowest.first);
    json_integer(json, "slowest_second_ns", first->slowest.second);
    json_integer(json, "slowest_later_ns", first->slowest.later);
    json_integer(json, "slowest_rank", first->slowest_rank);
    json_integer(json, "span_first_ns", first->span_ns);
    json_integer(json, "skew_first_ns", first->skew_ns);
    json_close(json, '}');
}
