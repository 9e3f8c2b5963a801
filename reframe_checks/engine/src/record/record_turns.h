/* SPDX-License-Identifier: BSD-3-Clause */
/* record_turns.h: the record of a launch that took turns with others (docs/reference/engine.md). */
#ifndef ISOCHRON_RECORD_TURNS_H
#define ISOCHRON_RECORD_TURNS_H

#include "base/json.h"
#include "measure/measure.h"
#include "session/session.h"
#include "turns/turn_log.h"

/* What a launch knows of its turns. */
struct record_turns {
    const struct measurement_case *cases;
    size_t case_count;
    const struct turn_log *log;
    const struct turn_log *solo; /* NULL: there were no passes alone */
    uint32_t company;            /* residents that had not ended when these began, a bit for each */
};

void record_turns(const struct session *session, const struct record_turns *turns, struct json *json);

#endif
