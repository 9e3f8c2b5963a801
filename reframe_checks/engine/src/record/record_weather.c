/* SPDX-License-Identifier: BSD-3-Clause */
/* record_weather.c: how the weather is read (see record_weather.h). */
#include "record/record_weather.h"

#include <math.h>

static const char *record_why_not(const struct session *session)
{
    if (session->weather != NULL)
        return "";
    return session->simulated ? "a simulated machine has no weather" : "--weather none";
}

void record_weather(const struct session *session, struct json *json)
{
    const struct weather *const weather = session->weather;
    json_open(json, "weather", '{');
    json_boolean(json, "read", weather != NULL);
    json_text(json, "why_not", record_why_not(session));
    json_integer(json, "cache_line_pairs", weather == NULL ? 0 : weather->pairs);
    json_boolean(json, "gates", session->watch != NULL);
    json_real(json, "earlier_line_ns", session->watch == NULL ? NAN : session->watch->past.line_ns);
    json_open(json, "reference", '{');
    for (int kind = 0; weather != NULL && kind < READING_KINDS; kind++)
        json_real(json, READING_NAMES[kind], weather->reference.value[kind]);
    json_close(json, '}');
    json_close(json, '}');
}
