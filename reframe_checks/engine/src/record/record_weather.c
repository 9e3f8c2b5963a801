/* SPDX-License-Identifier: BSD-3-Clause */
/* record_weather.c: how the weather is read (see record_weather.h). */
#include "record/record_weather.h"

#include <math.h>

static const char *record_why_not(const struct session *session)
{
    if (session->weather != NULL)
        return "";
    return session->simulated ? "a simulated machine has no probes" : "--probes off";
}

/* Pairs of hosts that are read, by what, and why not otherwise. */
static void record_network(const struct weather *weather, struct json *json)
{
    const struct network none = network_none();
    const struct network *const network = weather == NULL ? &none : &weather->network;
    char why_not[160];
    network_why_not(network, why_not, sizeof why_not);
    json_integer(json, "network_pairs", network->pairs);
    json_text(json, "network_by", NETWORK_WAYS[network->way]);
    json_text(json, "network_why_not", why_not);
}

void record_weather(const struct session *session, struct json *json)
{
    const struct weather *const weather = session->weather;
    json_open(json, "probes", '{');
    json_boolean(json, "read", weather != NULL);
    json_text(json, "why_not", record_why_not(session));
    json_integer(json, "cache_line_pairs", weather == NULL ? 0 : weather->pairs);
    record_network(weather, json);
    json_boolean(json, "gates", session->watch != NULL);
    json_real(json, "earlier_line_ns", session->watch == NULL ? NAN : session->watch->past.line_ns);
    json_open(json, "reference", '{');
    for (int kind = 0; weather != NULL && kind < READING_KINDS; kind++)
        json_real(json, READING_NAMES[kind], weather->reference.value[kind]);
    json_close(json, '}');
    json_close(json, '}');
}
