/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slot.h: the arithmetic of the start schedule, without any clock or message.
 *
 * M. Kurnosov: MPIPerf, 2012. Run l of a batch starts at global time start + l * width and must end before the
 * next slot starts. Four things are added:
 * - A process that missed slots goes on with the next free one: one late start does not make all later ones late.
 * - Only runs that all started in time make the slot grow, when too many of them ended after it: a longer slot does not
 *   cure late starts. On a busy machine it brings more of them, as a process that spins through it is interrupted.
 * - A slot at most doubles from batch to batch and never exceeds a cap, which falls to many times what runs have been
 *   seen to need: what lasts still longer is an interruption, and is an overrun.
 * - A slot halves again while runs need less than half of it: one interruption must not become the rhythm of all runs.
 */
#ifndef ISOCHRON_SLOT_H
#define ISOCHRON_SLOT_H

#include <stdint.h>

struct slot_rule {
    double growth;      /* gamma, 1 < growth <= 2 */
    double max_invalid; /* q: share of a batch's runs that may be invalid before the slot grows */
    int64_t floor_ns;   /* no slot is shorter */
    int64_t cap_ns;     /* no slot is longer */
};

/* What a batch came to. */
struct slot_outcome {
    int64_t runs;
    int64_t valid;
    int64_t in_time;    /* runs that nobody started late */
    int64_t overruns;   /* those of them that ended after their slot */
    int64_t span_ns;    /* from the first start scheduled to the last end of all processes */
    int64_t longest_ns; /* the longest valid run, 0 when there is none */
};

/* Lowers the cap to 32 times the longest valid run of the best batch so far, most of its runs being valid. */
void slot_learn(struct slot_rule *rule, const struct slot_outcome *batch);

/* The slot at or after wanted that has not begun at global time now; with no width, the wanted one. */
int64_t slot_next_free(int64_t now_ns, int64_t start_ns, int64_t width_ns, int64_t wanted);

/*
 * Width after the initialisation batch, which ran without slots: there runs can overlap, so it has room for the longest
 * that is known of a run alone, too.
 */
int64_t slot_first_width(const struct slot_rule *rule, const struct slot_outcome *initial);

/* Width after a batch that had slots of this width. */
int64_t slot_next_width(const struct slot_rule *rule, int64_t width_ns, const struct slot_outcome *batch);

#endif
