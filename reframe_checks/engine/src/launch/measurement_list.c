/* SPDX-License-Identifier: BSD-3-Clause */
/* measurement_list.c: the cases of a launch, and a pass over one of them (see measurement_list.h). */
#include "launch/measurement_list.h"

#include "base/activity.h"
#include "machine/team.h"
#include "session/session_clock.h"

#include <stdlib.h>
#include <string.h>

int measurement_list_open(const struct session *session, int64_t passes, struct measurement_list *list,
                          struct fault *fault)
{
    const struct sizes *const sizes = &session->options->sizes;
    const size_t max = session->operations.count * (sizes->count > 0 ? sizes->count : 1);
    *list = (struct measurement_list){.retains = passes > 1};
    list->cases = calloc(max, sizeof *list->cases);
    list->states = calloc(list->retains ? max : 1, sizeof *list->states);
    list->measurements = calloc(session->team.rank == 0 ? max : 1, sizeof *list->measurements);
    if (list->cases == NULL || list->states == NULL || list->measurements == NULL)
        fault_set(fault, FAULT_SYSTEM, "out of memory for %zu measurements", max);
    for (size_t o = 0; fault->code == FAULT_NONE && o < session->operations.count; o++) {
        const struct operation *const operation = &session->operations.items[o];
        const bool no_data = operation->shape == OPERATION_NO_DATA;
        for (size_t s = 0; s < (no_data ? 1 : sizes->count); s++)
            if (no_data || element_fits(operation->datatype, sizes->bytes[s]))
                list->cases[list->case_count++] = (struct measurement_case){operation, no_data ? 0 : sizes->bytes[s]};
    }
    return team_agree(&session->team, fault);
}

struct measure *measurement_list_state(const struct measurement_list *list, size_t i)
{
    return &list->states[list->retains ? i : 0];
}

/* Rank 0: return the slot of the previous measurement; without slots, the time of its last repetition. */
static int64_t measurement_list_slot(const struct measurement_list *list)
{
    const struct measurement *const previous = list->previous;
    if (previous == NULL)
        return 0;
    return previous->slot_ns > 0 || previous->reps == 0 ? previous->slot_ns : previous->time_ns[previous->reps - 1];
}

int measurement_list_measure(struct session *session, struct measurement_list *list, size_t i, struct measure_pass pass,
                             struct fault *fault)
{
    const bool root = session->team.rank == 0;
    struct measurement *const result = &list->measurements[root ? i : 0];
    struct measure *const state = measurement_list_state(list, i);
    if (state->done)
        return 0;
    if (list->begun && session_refresh(session, measurement_list_slot(list), fault))
        return (int)fault->code;
    if (!root)
        measurement_free(result);
    list->begun = true;
    list->previous = root ? result : NULL;
    list->count = root && i >= list->count ? i + 1 : list->count > 0 ? list->count : 1;
    activity_set(session->activity, list->cases[i].operation->name, list->cases[i].bytes);
    if (measure_perform_pass(session, &list->cases[i], pass, state, result, fault)) {
        if (!fault->agreed)
            strncat(fault->text, activity_text(session->activity), sizeof fault->text - strlen(fault->text) - 1);
        return (int)fault->code;
    }
    activity_set(session->activity, NULL, 0);
    if (state->done) {
        measure_close(state);
        *state = (struct measure){.done = list->retains};
    }
    return 0;
}

void measurement_list_free(struct measurement_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        measurement_free(&list->measurements[i]);
    for (size_t i = 0; list->states != NULL && i < list->case_count; i++)
        measure_close(measurement_list_state(list, i));
    free(list->cases);
    free(list->states);
    free(list->measurements);
}
