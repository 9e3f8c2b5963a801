/* SPDX-License-Identifier: BSD-3-Clause */
/* judge.c: from the raw runs of a row and what is known of the clocks to its verdict (see judge.h). */
#include "measure/judge.h"

#include "rules/verdict.h"

static void judge_give_verdict(const struct session *session, struct measurement *m)
{
    const struct options *const options = session->options;
    const struct timer_quality *const timer = &session->calibration.timer;
    const struct verification_worst *const clock = &m->judgement.clock;
    const struct verdict_facts facts = {
        .statistics = &m->judgement.statistics,
        .longer = m->judgement.longer,
        .ignored = statistics_ignored(&m->judgement.statistics, options->confidence),
        .runs = (int64_t)m->runs,
        .valid = (int64_t)m->reps_valid,
        .min_valid = options->min_valid,
        .late_start = m->late_start,
        .overrun = m->overrun,
        .given_up = m->given_up,
        .disturbed = m->regimes.count_all && m->regimes.apart > 0,
        .line_ns = m->regimes.line_ns,
        .quiet_line_ns = m->regimes.quiet_ns,
        .missing = m->missing,
        .check_failed = m->check.wrong,
        .known_time = m->operation->known_time,
        .one_clock = session_has_one_clock(session),
        .wanted_relative_error = session->stop->needs_statistics ? options->relative_error : 0.0,
        .timer_step_ns = timer->resolution_ns + timer->cost_ns,
        .clock_error_ns = (double)clock->error_ns,
        .clock_rank = clock->rank,
        .causality_violations = m->causality.violations,
        .causality_worst_ns = m->causality.worst_ns,
        .causality_rank = m->causality.rank,
        .clock_certain_ns = (double)clock->certain_ns,
        .clock_bound_ns = (double)clock->bound_ns,
    };
    m->judgement.verdict = verdict_of(&facts, m->judgement.reason, sizeof m->judgement.reason);
}

void judge_rows(const struct session *session, struct measurement *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct measurement_judgement *const judgement = &rows[i].judgement;
        if (session->watch != NULL)
            measurement_settle_regimes(&rows[i], session->watch->gate.reference, session->watch->gate.limit,
                                       session->options->min_valid);
        judgement->statistics = measurement_statistics(&rows[i], session->options);
        judgement->longer = measurement_longer(&rows[i]);
        judgement->from_last = measurement_from_last(&rows[i], session->options);
        judgement->start_skew_ns = measurement_start_skew(&rows[i]);
        judgement->clock = epoch_worst(&session->epochs[rows[i].first_epoch], rows[i].epoch - rows[i].first_epoch + 1);
        judge_give_verdict(session, &rows[i]);
    }
}
