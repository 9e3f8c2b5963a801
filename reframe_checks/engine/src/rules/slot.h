/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slot.h: the arithmetic of the start schedule, without clocks and messages. A slot is a window in SKaMPI.
 *
 * M. Kurnosov: MPIPerf, 2012. Repetition l of a batch starts at global time start + l * width and must end before the
 * next slot starts. Four rules are added:
 * - A process that has missed slots continues with the next free one: one late start does not delay all later ones.
 * - The slot grows only if too many of the repetitions without late start are overruns: a longer slot does not cure
 * late starts. On a busy machine it causes more of them, since a process that spins for longer is interrupted.
 * - A slot at most doubles from batch to batch and never exceeds a cap, which decreases to a multiple of the observed
 *   times: a repetition that takes even longer was interrupted, and is an overrun.
 * - A slot shrinks by half while repetitions need less than half of it: one interruption must not slow all later ones.
 */
#ifndef ISOCHRON_SLOT_H
#define ISOCHRON_SLOT_H

#include <stdint.h>

struct slot_rule {
    double growth;      /* gamma, 1 < growth <= 2 */
    double max_invalid; /* q: share of a batch's repetitions that may be invalid before the slot grows */
    int64_t floor_ns;   /* the shortest slot */
    int64_t cap_ns;     /* the longest slot */
};

/* The outcome of a batch. */
struct slot_outcome {
    int64_t reps;
    int64_t valid;
    int64_t in_time;    /* repetitions without a late start */
    int64_t overruns;   /* those of them that ended after their slot */
    int64_t span_ns;    /* from the first scheduled start to the last end of all processes */
    int64_t longest_ns; /* the longest valid repetition; 0 without any */
};

/* Lower the cap to 32 times the longest valid repetition of a batch most of whose repetitions are valid. */
void slot_lower_cap(struct slot_rule *rule, const struct slot_outcome *batch);

/* Return the first slot from target on that has not begun at global time now; target itself if the width is 0. */
int64_t slot_next_free(int64_t now_ns, int64_t start_ns, int64_t width_ns, int64_t target);

/*
 * Return the width after the warm-up batch, which has no slots: its repetitions can overlap, so the width also covers
 * the longest isolated repetition.
 */
int64_t slot_first_width(const struct slot_rule *rule, const struct slot_outcome *warmup);

/* Return the width after a batch with slots of this width. */
int64_t slot_next_width(const struct slot_rule *rule, int64_t width_ns, const struct slot_outcome *batch);

#endif
