/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_instruments.c: readings of the machine, their pace, bounded waiting, and rejected datagrams.
 */
#include "harness.h"
#include "instruments/cache_line.h"
#include "instruments/counters.h"
#include "instruments/moment.h"
#include "instruments/processor.h"
#include "instruments/round_trip.h"

#include <arpa/inet.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEST_SHORT_NS = 1000 };
static const int64_t TEST_LONG_NS = 60000000000; /* nobody waits so long in vain */

static void test_pace(struct harness *h)
{
    struct pace pace = {.pause_factor = 99};
    harness_case(h, "the pause is a multiple of the last reading");
    pace_note(&pace, 1000, 1010);
    harness_is(h, !pace_is_due(&pace, 1010 + 989));
    harness_is(h, pace_is_due(&pace, 1010 + 990));
    harness_case(h, "and at least for the least pause");
    pace.min_pause_ns = 5000;
    harness_is(h, !pace_is_due(&pace, 1010 + 4999));
    harness_is(h, pace_is_due(&pace, 1010 + 5000));
    harness_case(h, "all readings take their share of the time, even if some are long");
    int64_t now = 0, spent = 0;
    pace = (struct pace){.pause_factor = 99};
    for (int i = 0; i < 1000; i++) {
        const int64_t took = 10 + i % 7 * 100;
        while (!pace_is_due(&pace, now))
            now += 10;
        pace_note(&pace, now, now + took);
        now += took;
        spent += took;
    }
    now += 99 * pace.took_ns;
    harness_is(h, 100 * spent <= now);
}

static void test_lonely(struct harness *h)
{
    struct cache_line line;
    char name[CACHE_LINE_NAME];
    harness_case(h, "who is alone gives up");
    cache_line_create(&line, name);
    harness_is(h, line.value != NULL && access(name, R_OK) == 0);
    harness_is(h, isnan(cache_line_read(&line, 1, TEST_SHORT_NS)));
    harness_case(h, "a line without a name is usable, and cannot be joined");
    struct cache_line other;
    cache_line_unname(name);
    cache_line_join(&other, name);
    harness_is(h, other.value == NULL && access(name, F_OK) != 0);
    harness_is(h, isnan(cache_line_read(&line, 2, TEST_SHORT_NS)));
    cache_line_close(&line);
    harness_case(h, "without a line there is no reading");
    cache_line_join(&other, "");
    harness_is(h, isnan(cache_line_read(&other, 1, TEST_LONG_NS)));
}

static void test_pair(struct harness *h)
{
    struct cache_line line, other;
    char name[CACHE_LINE_NAME];
    cache_line_create(&line, name);
    cache_line_join(&other, name);
    cache_line_unname(name);
    harness_case(h, "two processes that did not meet in one reading meet in the next");
    harness_is(h, isnan(cache_line_read(&line, 1, TEST_SHORT_NS)));
    harness_is(h, isnan(cache_line_read(&other, 2, TEST_SHORT_NS)));
    const pid_t child = fork();
    if (child == 0)
        _exit(cache_line_read(&other, 3, TEST_LONG_NS) > 0.0 && cache_line_read(&other, 4, TEST_LONG_NS) > 0.0 ? 0 : 1);
    harness_is(h, cache_line_read(&line, 3, TEST_LONG_NS) > 0.0);
    harness_is(h, cache_line_read(&line, 4, TEST_LONG_NS) > 0.0);
    int status = 1;
    harness_is(h, waitpid(child, &status, 0) == child && status == 0);
    cache_line_close(&line);
    cache_line_close(&other);
}

static void test_processor(struct harness *h)
{
    void *const memory = processor_open_copies();
    harness_case(h, "computing and copying take time");
    harness_is(h, processor_compute() > 0.0);
    harness_is(h, memory == NULL || processor_copy(memory) > 0.0);
    harness_case(h, "without memory nothing is copied");
    harness_is(h, isnan(processor_copy(NULL)));
    processor_close_copies(memory);
}

static void test_counters(struct harness *h)
{
    struct counters counters;
    counters_open(&counters);
    harness_case(h, "counters do not go down");
    const double switches = counters_switches(), waited = counters_waited_ns(&counters),
                 steal = counters_steal_ns(&counters);
    harness_is(h, switches >= 0.0 && counters_switches() >= switches);
    harness_is(h, counters.schedstat < 0 || (waited >= 0.0 && counters_waited_ns(&counters) >= waited));
    harness_is(h, counters.stat < 0 || (steal >= 0.0 && counters_steal_ns(&counters) >= steal));
    counters_close(&counters);
    harness_case(h, "an unreadable counter is NaN");
    harness_is(h, isnan(counters_waited_ns(&counters)) && isnan(counters_steal_ns(&counters)));
    harness_is(h, isnan(counters_frequency_mhz(&counters)));
}

/* Two ends on the loopback of this host. The second is a separate process, which receives the reading numbers. */
struct pair {
    struct round_trip first, second;
    struct round_trip_offer offer;
    pid_t child;
    int received[2];
};

/* Answer until it is greeted at that index, then take the readings that it receives. */
static void pair_second(struct pair *pair, int index)
{
    uint64_t number = 0;
    while (pair->second.greeted_by[index].sin_port == 0)
        round_trip_answer(&pair->second, 1000);
    round_trip_select(&pair->second, index);
    while (read(pair->received[0], &number, sizeof number) == (ssize_t)sizeof number)
        round_trip_read(&pair->second, number);
    _exit(0);
}

/* The second end offers two addresses, and answers at both, or from the given one on. */
static void pair_open(struct pair *pair, int from, bool mute)
{
    const struct in_addr loopback[] = {{htonl(INADDR_LOOPBACK)}, {htonl(INADDR_LOOPBACK)}};
    *pair = (struct pair){.first = round_trip_make(true), .second = round_trip_make(false)};
    round_trip_listen(&pair->second, loopback, 2, &pair->offer);
    pair->second.silent = mute;
    if (pipe(pair->received) != 0)
        return;
    pair->child = fork();
    for (int index = 0; pair->child == 0 && index < from; index++) {
        close(pair->second.sockets[index]);
        pair->second.sockets[index] = -1;
    }
    if (pair->child == 0)
        pair_second(pair, from);
    round_trip_close(&pair->second);
}

static void pair_close(struct pair *pair)
{
    kill(pair->child, SIGKILL);
    waitpid(pair->child, NULL, 0);
    close(pair->received[0]);
    close(pair->received[1]);
    round_trip_close(&pair->first);
}

/* Take a reading, with or without the other end. */
static double pair_read(struct pair *pair, uint64_t number)
{
    (void)!write(pair->received[1], &number, sizeof number);
    return round_trip_read(&pair->first, number);
}

static void test_reading(struct harness *h)
{
    struct pair pair;
    double time_us = NAN;
    harness_case(h, "two ends meet at the first address, and read");
    pair_open(&pair, 0, false);
    harness_is(h, pair.offer.count == 2 && pair.offer.addresses[0].sin_port != pair.offer.addresses[1].sin_port);
    const int index = round_trip_greet(&pair.first, &pair.offer);
    harness_is(h, index == 0);
    round_trip_select(&pair.first, index);
    harness_is(h, pair.first.sockets[1] < 0);
    uint64_t number = 0;
    while (pair.first.socket >= 0 && isnan(time_us)) /* a process may have to wait for its turn */
        time_us = pair_read(&pair, ++number);
    harness_is(h, time_us > 0.0 && pair.first.failures == 0);
    harness_case(h, "without an answer there is no reading, and after several the socket is closed");
    kill(pair.child, SIGKILL);
    waitpid(pair.child, NULL, 0);
    for (int failure = 1; failure <= ROUND_TRIP_FAILURES; failure++) {
        harness_is(h, pair.first.socket >= 0);
        harness_is(h, isnan(pair_read(&pair, ++number)));
    }
    harness_is(h, pair.first.socket < 0);
    harness_is(h, isnan(pair_read(&pair, ++number)));
    pair_close(&pair);
}

static void test_selection(struct harness *h)
{
    struct pair pair;
    harness_case(h, "an address that does not answer is skipped");
    pair_open(&pair, 1, false);
    harness_is(h, round_trip_greet(&pair.first, &pair.offer) == 1);
    pair_close(&pair);
    harness_case(h, "without an address no end is found, and without a socket there is no reading");
    pair_open(&pair, 0, false);
    pair.offer.count = 0;
    harness_is(h, round_trip_greet(&pair.first, &pair.offer) == -1);
    round_trip_select(&pair.first, -1);
    harness_is(h, isnan(round_trip_read(&pair.first, 1)));
    pair_close(&pair);
}

static void test_silence(struct harness *h)
{
    struct pair pair;
    harness_case(h, "who has not the key is not answered");
    pair_open(&pair, 0, false);
    pair.offer.key ^= 1;
    harness_is(h, round_trip_greet(&pair.first, &pair.offer) == -1);
    pair_close(&pair);
    harness_case(h, "waiting is bounded if no datagram passes");
    pair_open(&pair, 0, true);
    harness_is(h, round_trip_greet(&pair.first, &pair.offer) == -1);
    pair_close(&pair);
}

static void test_addresses(struct harness *h)
{
    struct in_addr addresses[MAX_ADDRESSES];
    const size_t count = addresses_list(addresses);
    harness_case(h, "no address of a host is that of its loopback");
    harness_is(h, count <= MAX_ADDRESSES);
    for (size_t i = 0; i < count; i++)
        harness_is(h, ntohl(addresses[i].s_addr) >> 24 != 127);
}

int main(void)
{
    struct harness h = {0};
    test_pace(&h);
    test_lonely(&h);
    test_pair(&h);
    test_processor(&h);
    test_counters(&h);
    test_reading(&h);
    test_selection(&h);
    test_silence(&h);
    test_addresses(&h);
    return harness_end(&h, "test_instruments");
}
