/* SPDX-License-Identifier: BSD-3-Clause */
/* reading.c: the kinds of readings (see reading.h). */
#include "weather/reading.h"

const char *const READING_NAMES[] = {
    [READING_CACHE_LINE] = "cache_line_ns", [READING_COMPUTE] = "compute_ns", [READING_COPY] = "copy_gbs",
    [READING_SWITCHES] = "switches",        [READING_WAITED] = "waited_ns",   [READING_STEAL] = "steal_ns",
    [READING_FREQUENCY] = "frequency_mhz",  [READING_NETWORK] = "network_us",
};

bool reading_is_rate(enum reading_kind kind)
{
    return kind == READING_COPY || kind == READING_FREQUENCY;
}
