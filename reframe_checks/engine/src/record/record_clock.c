/* SPDX-License-Identifier: BSD-3-Clause */
/* record_clock.c: the record of the clocks at one end of an epoch (see record_clock.h). */
#include "record/record_clock.h"

/* The models of the verified ranks. */
static void record_models(const struct epoch *epoch, const struct verification *verification, struct json *json)
{
    enum { LIMIT = VERIFICATION_RANKS + 1 };
    const size_t count = (size_t)verification->count;
    int64_t x0_ns[LIMIT], offset_ns[LIMIT];
    double offset_se_ns[LIMIT], slope_ppm[LIMIT], slope_se_ppm[LIMIT];
    for (size_t i = 0; i < count; i++) {
        const struct synchronisation *const rank = &epoch->ranks[verification->ranks[i]];
        x0_ns[i] = rank->model.x0_ns;
        offset_ns[i] = rank->model.offset_ns;
        offset_se_ns[i] = rank->offset_se_ns;
        slope_ppm[i] = 1e6 * rank->model.slope;
        slope_se_ppm[i] = 1e6 * rank->slope_se;
    }
    json_integers(json, "x0_ns", x0_ns, count);
    json_integers(json, "offset_ns", offset_ns, count);
    json_reals(json, "offset_se_ns", offset_se_ns, count);
    json_reals(json, "slope_ppm", slope_ppm, count);
    json_reals(json, "slope_se_ppm", slope_se_ppm, count);
}

/* With test clocks: the true error and the stated bound of every rank. */
static void record_truth(const struct epoch_state *state, int processes, struct json *json)
{
    if (state->truth_ns == NULL)
        return;
    json_open(json, "truth", '{');
    json_integers(json, "error_ns", state->truth_ns, (size_t)processes);
    json_integers(json, "bound_ns", state->bound_ns, (size_t)processes);
    json_close(json, '}');
}

void record_clock(const struct session *session, size_t number, bool after, struct json *json)
{
    const struct epoch *const epoch = &session->epochs[number];
    const struct epoch_state *const state = after ? &epoch->after : &epoch->before;
    const struct verification *const verification = &state->verification;
    const size_t count = (size_t)verification->count;
    int64_t bound_ns[VERIFICATION_RANKS + 1];
    int64_t exchanges = 0;
    for (int rank = 0; rank < session->team.size; rank++)
        exchanges += epoch->ranks[rank].exchanges;
    for (size_t i = 0; i < count; i++)
        bound_ns[i] = state->bound_ns[verification->ranks[i]];
    json_open(json, NULL, '{');
    json_text(json, "record", "clock");
    json_text(json, "phase", after ? "after" : "before");
    json_integer(json, "epoch", (int64_t)number);
    json_text(json, "method", SYNC_WORDS[session->options->clock_sync]);
    json_text(json, "estimator", ESTIMATOR_WORDS[session->options->offset]);
    json_boolean(json, "by_node", epoch->by_node);
    json_integer(json, "begin_ns", epoch->begin_ns);
    json_integer(json, "duration_ns", epoch->duration_ns);
    json_integer(json, "exchanges", exchanges);
    json_integers(json, "ranks", verification->ranks, count);
    record_models(epoch, verification, json);
    json_integers(json, "bound_ns", bound_ns, count);
    json_integers(json, "error_ns", verification->error_ns, count);
    json_integers(json, "error_bound_ns", verification->bound_ns, count);
    record_truth(state, session->team.size, json);
    json_close(json, '}');
}
