/* SPDX-License-Identifier: BSD-3-Clause */
/* test_round_trip.c: two ends find each other, read, hear nobody else, and give up. */
#include "harness.h"
#include "instruments/round_trip.h"

#include <arpa/inet.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Two ends on the loopback of this host. The second is in a process of its own, and is told the readings. */
struct pair {
    struct round_trip first, second;
    struct round_trip_offer offer;
    pid_t child;
    int told[2];
};

/* Answers until it was greeted at that place, then reads whatever number it is told. */
static void pair_second(struct pair *pair, int place)
{
    uint64_t number = 0;
    while (pair->second.heard[place].sin_port == 0)
        round_trip_answer(&pair->second, 1000);
    round_trip_keep(&pair->second, place);
    while (read(pair->told[0], &number, sizeof number) == (ssize_t)sizeof number)
        round_trip_read(&pair->second, number);
    _exit(0);
}

/* The second offers two places, and answers at them, or from the given one on. */
static void pair_open(struct pair *pair, int from, bool mute)
{
    const struct in_addr loopback[] = {{htonl(INADDR_LOOPBACK)}, {htonl(INADDR_LOOPBACK)}};
    *pair = (struct pair){.first = round_trip_make(true), .second = round_trip_make(false)};
    round_trip_listen(&pair->second, loopback, 2, &pair->offer);
    pair->second.mute = mute;
    if (pipe(pair->told) != 0)
        return;
    pair->child = fork();
    for (int place = 0; pair->child == 0 && place < from; place++) {
        close(pair->second.sockets[place]);
        pair->second.sockets[place] = -1;
    }
    if (pair->child == 0)
        pair_second(pair, from);
    round_trip_close(&pair->second);
}

static void pair_close(struct pair *pair)
{
    kill(pair->child, SIGKILL);
    waitpid(pair->child, NULL, 0);
    close(pair->told[0]);
    close(pair->told[1]);
    round_trip_close(&pair->first);
}

/* A reading; who is alone reads too. */
static double pair_read(struct pair *pair, uint64_t number)
{
    (void)!write(pair->told[1], &number, sizeof number);
    return round_trip_read(&pair->first, number);
}

static void test_reading(struct harness *h)
{
    struct pair pair;
    double time_us = NAN;
    harness_case(h, "two ends find each other at the first place, and read");
    pair_open(&pair, 0, false);
    harness_is(h, pair.offer.count == 2 && pair.offer.places[0].sin_port != pair.offer.places[1].sin_port);
    const int place = round_trip_greet(&pair.first, &pair.offer);
    harness_is(h, place == 0);
    round_trip_keep(&pair.first, place);
    harness_is(h, pair.first.sockets[1] < 0);
    uint64_t number = 0;
    while (pair.first.socket >= 0 && isnan(time_us)) /* a process may have to wait for its turn */
        time_us = pair_read(&pair, ++number);
    harness_is(h, time_us > 0.0 && pair.first.failures == 0);
    harness_case(h, "who hears nothing gives a reading up, and after some in a row the matter");
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

static void test_places(struct harness *h)
{
    struct pair pair;
    harness_case(h, "a place that does not answer is passed over");
    pair_open(&pair, 1, false);
    harness_is(h, round_trip_greet(&pair.first, &pair.offer) == 1);
    pair_close(&pair);
    harness_case(h, "without a place nobody is found, and without a socket nothing is read");
    pair_open(&pair, 0, false);
    pair.offer.count = 0;
    harness_is(h, round_trip_greet(&pair.first, &pair.offer) == -1);
    round_trip_keep(&pair.first, -1);
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
    harness_case(h, "nobody waits for long where nothing passes");
    pair_open(&pair, 0, true);
    harness_is(h, round_trip_greet(&pair.first, &pair.offer) == -1);
    pair_close(&pair);
}

static void test_addresses(struct harness *h)
{
    struct in_addr addresses[ADDRESSES_MOST];
    const size_t count = addresses_own(addresses);
    harness_case(h, "no address of a host is that of its loopback");
    harness_is(h, count <= ADDRESSES_MOST);
    for (size_t i = 0; i < count; i++)
        harness_is(h, ntohl(addresses[i].s_addr) >> 24 != 127);
}

int main(void)
{
    struct harness h = {0};
    test_reading(&h);
    test_places(&h);
    test_silence(&h);
    test_addresses(&h);
    return harness_end(&h, "test_round_trip");
}
