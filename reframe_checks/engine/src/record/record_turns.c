/* SPDX-License-Identifier: BSD-3-Clause */
/* record_turns.c: the turns of a launch, and the residents that were lost (see record_turns.h). */
#include "record/record_turns.h"

/* Write the residents that were lost so far on the node of rank 0. */
static void record_lost(const struct resident *resident, struct json *json)
{
    json_open(json, "lost", '[');
    for (int i = 0; i < resident->options.plan.residents; i++) {
        const enum segment_state state = segment_state(&resident->segment, i);
        if (!segment_is_lost(state))
            continue;
        json_open(json, NULL, '{');
        json_integer(json, "resident", i);
        json_text(json, "reason", SEGMENT_STATE_NAMES[state]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void record_solo(const struct record_turns *turns, struct json *json)
{
    if (!json_open_if(json, "solo", '{', turns->solo != NULL))
        return;
    json_open(json, "company", '[');
    for (int i = 0; i < TURN_MAX_RESIDENTS; i++)
        if (turns->company & UINT32_C(1) << i)
            json_integer(json, NULL, i);
    json_close(json, ']');
    turn_log_write(turns->solo, json);
    json_close(json, '}');
}

void record_turns(const struct session *session, const struct record_turns *turns, struct json *json)
{
    json_open(json, NULL, '{');
    json_text(json, "record", "turns");
    json_open(json, "operations", '[');
    for (size_t i = 0; i < turns->case_count; i++)
        json_text(json, NULL, turns->cases[i].operation->name);
    json_close(json, ']');
    json_open(json, "bytes", '[');
    for (size_t i = 0; i < turns->case_count; i++)
        json_integer(json, NULL, turns->cases[i].bytes);
    json_close(json, ']');
    turn_log_write(turns->log, json);
    record_lost(session->resident, json);
    record_solo(turns, json);
    json_close(json, '}');
}
