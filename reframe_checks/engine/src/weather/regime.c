/* SPDX-License-Identifier: BSD-3-Clause */
/* regime.c: weather that is known beforehand (see regime.h). */
#include "weather/regime.h"

#include "words/grammar.h"

static const double REGIME_QUIET_NS = 100.0;

static const struct grammar_form REGIME_FORMS[] = {
    {.word = "regime",
     .kind = GRAMMAR_TUPLE,
     .numbers = {{"FIRST", true, 1, 1e15}, {"COUNT", true, 0, 1e15}, {"FACTOR", false, 1e-3, 1e3}}},
    {.word = "blocked", .kind = GRAMMAR_TUPLE, .numbers = {{"FIRST", true, 0, 1e15}}},
    {.word = NULL},
};

int regime_parse(const char *text, struct regime *regime, struct fault *fault)
{
    struct grammar_value value;
    *regime = (struct regime){.given = false};
    if (text == NULL)
        return 0;
    if (!grammar_read(REGIME_FORMS, text, &value))
        return fault_set(fault, FAULT_USAGE, "--test-probes '%.100s': give regime:FIRST:COUNT:FACTOR or blocked:FIRST",
                         text);
    regime->given = value.form == &REGIME_FORMS[0];
    regime->blocked = !regime->given;
    regime->first = value.whole[0];
    regime->count = value.whole[1];
    regime->factor = value.real[2];
    return 0;
}

bool regime_blocks(const struct regime *regime, uint64_t number)
{
    return regime->blocked && (int64_t)number >= regime->first;
}

double regime_line(const struct regime *regime, uint64_t number)
{
    const int64_t since = (int64_t)number - regime->first;
    return since >= 0 && since < regime->count ? regime->factor * REGIME_QUIET_NS : REGIME_QUIET_NS;
}
