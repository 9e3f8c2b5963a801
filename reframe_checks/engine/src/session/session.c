/* SPDX-License-Identifier: BSD-3-Clause */
/* session.c: what is known of a launch, and its end (see session.h). */
#include "session/session.h"

#include "operation/operation_select.h"

#include <stdlib.h>

bool session_has_one_clock(const struct session *session)
{
    return (session->environment.hosts == 1 || session->simulated) && !session->options->test_clock.given;
}

bool session_time_is_exact(const struct session *session)
{
    return timer_is_exact(&session->clock.timer) && session->synchroniser->run == sync_none;
}

struct stop_limits session_limits(const struct session *session)
{
    const struct options *const options = session->options;
    return (struct stop_limits){options->relative_error, options->min_valid, options->max_valid, options->max_reps,
                                options->time_budget};
}

const struct epoch *session_epoch(const struct session *session)
{
    return &session->epochs[session->epoch_count - 1];
}

void session_close(struct session *session)
{
    if (session->derived != MPI_DATATYPE_NULL)
        MPI_Type_free(&session->derived);
    operation_list_free(&session->operations);
    for (size_t e = 0; e < session->epoch_count; e++)
        epoch_free(&session->epochs[e]);
    free(session->epochs);
    if (session->weather != NULL)
        weather_close(session->weather);
    free(session->weather);
    free(session->watch);
    environment_free(&session->environment);
    free(session->process);
    team_close(&session->team);
}
