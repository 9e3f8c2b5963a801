/* SPDX-License-Identifier: BSD-3-Clause */
/* record_weather.h: what the header says of the readings of the weather. */
#ifndef ISOCHRON_RECORD_WEATHER_H
#define ISOCHRON_RECORD_WEATHER_H

#include "base/json.h"
#include "session/session.h"

/* The member "probes": whether it is read, why not, and what it was at the start. */
void record_weather(const struct session *session, struct json *json);

#endif
