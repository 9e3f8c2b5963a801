/* SPDX-License-Identifier: BSD-3-Clause */
/* synthetic_clock_spec.c: parses the value of --test-clock (see synthetic_clock_spec.h). */
#include "option_values/synthetic_clock_spec.h"

#include "base/text.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define FIELD(name) offsetof(struct synthetic_clock_spec, name)

static const struct {
    const char *key;
    size_t field;
    double low, high;
} SYNTHETIC_CLOCK_KEYS[] = {
    {"seed", FIELD(seed), 0, 1e15},
    {"offset-s", FIELD(offset_s), 0, 1e6},
    {"drift-ppm", FIELD(drift_ppm), 0, 1e5},
    {"noise-ns", FIELD(noise_ns), 0, 1e9},
    {"reading-ns", FIELD(reading_ns), 0, 1e6},
    {"node", FIELD(node), 0, 1},
    {"one-clock", FIELD(one_clock), 0, 1},
    {"pause-s", FIELD(pause_s), 0, 1e6},
    {"false-rank", FIELD(false_rank), 1, 1e9},
    {"false-offset-us", FIELD(false_offset_us), -1e9, 1e9},
    {"false-drift-ppm", FIELD(false_drift_ppm), -1e5, 1e5},
    {"false-after-s", FIELD(false_after_s), 0, 1e6},
    {"false-for-s", FIELD(false_for_s), 0, 1e6},
};

enum { SYNTHETIC_CLOCK_KEY_COUNT = sizeof SYNTHETIC_CLOCK_KEYS / sizeof SYNTHETIC_CLOCK_KEYS[0] };

static bool synthetic_clock_set(const char *pair, struct synthetic_clock_spec *spec)
{
    const size_t length = strcspn(pair, "=");
    for (size_t i = 0; i < SYNTHETIC_CLOCK_KEY_COUNT && pair[length] == '='; i++) {
        double value = 0.0;
        if (strlen(SYNTHETIC_CLOCK_KEYS[i].key) != length || strncmp(SYNTHETIC_CLOCK_KEYS[i].key, pair, length) != 0)
            continue;
        if (!text_real(pair + length + 1, &value) || value < SYNTHETIC_CLOCK_KEYS[i].low ||
            value > SYNTHETIC_CLOCK_KEYS[i].high)
            return false;
        memcpy((char *)spec + SYNTHETIC_CLOCK_KEYS[i].field, &value, sizeof value);
        return true;
    }
    return false;
}

int synthetic_clock_parse(const char *text, struct synthetic_clock_spec *spec, struct fault *fault)
{
    struct text_list pairs;
    *spec = (struct synthetic_clock_spec){.present = true};
    if (!text_split(text, &pairs))
        return fault_set(fault, FAULT_USAGE, "--test-clock '%s': give KEY=NUMBER,...", text);
    for (size_t i = 0; i < pairs.count; i++)
        if (!synthetic_clock_set(pairs.items[i], spec))
            fault_set(fault, FAULT_USAGE, "--test-clock: '%s' is not a valid KEY=NUMBER; see synthetic_clock_spec.h",
                      pairs.items[i]);
    text_list_free(&pairs);
    return (int)fault->code;
}
