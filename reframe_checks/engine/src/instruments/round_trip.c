/* SPDX-License-Identifier: BSD-3-Clause */
/* round_trip.c: a ping-pong of datagrams (see round_trip.h). */
#include "instruments/round_trip.h"

#include "instruments/moment.h"
#include "statistics/median.h"

#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROUND_TRIP_TRIPS = 5 };

static const uint64_t ROUND_TRIP_MAGIC = 0x49736f6368726f6e; /* "Isochron" */
static const int64_t ROUND_TRIP_PATIENCE_NS = ROUND_TRIP_PATIENCE_MS * INT64_C(1000000);
/* Asked for over and over: waking up takes longer than a datagram on a quick network. */
static const int64_t ROUND_TRIP_SPIN_NS = 200000;

enum round_trip_kind { ROUND_TRIP_GREETING, ROUND_TRIP_GREETED, ROUND_TRIP_PING, ROUND_TRIP_PONG };

/* As it is sent, without gaps. */
struct round_trip_datagram {
    uint64_t magic;
    uint64_t key;
    uint64_t number; /* of the reading */
    uint32_t step;   /* within it; of a greeting: the round */
    uint32_t kind;
};

static struct round_trip_datagram round_trip_word(const struct round_trip *trip, enum round_trip_kind kind,
                                                  uint64_t number, uint32_t step)
{
    return (struct round_trip_datagram){ROUND_TRIP_MAGIC, trip->key, number, step, (uint32_t)kind};
}

static void round_trip_send(const struct round_trip *trip, int file, const struct round_trip_datagram *word)
{
    if (!trip->mute)
        (void)!send(file, word, sizeof *word, MSG_NOSIGNAL);
}

static bool round_trip_is(const struct round_trip_datagram *heard, ssize_t length,
                          const struct round_trip_datagram *wanted)
{
    return length == (ssize_t)sizeof *heard && memcmp(heard, wanted, sizeof *heard) == 0;
}

static int round_trip_socket(void)
{
    return socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* Closes, and says so where it was. */
static void round_trip_drop(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

static bool round_trip_connect(int file, const struct sockaddr_in *place)
{
    return connect(file, (const struct sockaddr *)(const void *)place, sizeof *place) == 0;
}

struct round_trip round_trip_make(bool first)
{
    struct round_trip trip = {.socket = -1, .first = first};
    for (int place = 0; place < ADDRESSES_MOST; place++)
        trip.sockets[place] = -1;
    return trip;
}

/* On a port that the kernel chooses; the place is what it has become. */
static int round_trip_bind(struct in_addr address, struct sockaddr_in *place)
{
    socklen_t length = sizeof *place;
    int file = round_trip_socket();
    *place = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = address};
    if (file >= 0 && (bind(file, (const struct sockaddr *)(const void *)place, sizeof *place) != 0 ||
                      getsockname(file, (struct sockaddr *)(void *)place, &length) != 0))
        round_trip_drop(&file);
    return file;
}

void round_trip_listen(struct round_trip *trip, const struct in_addr *addresses, size_t count,
                       struct round_trip_offer *offer)
{
    *offer = (struct round_trip_offer){.key = (uint64_t)moment_now()};
    (void)!getrandom(&offer->key, sizeof offer->key, GRND_NONBLOCK);
    trip->key = offer->key;
    for (size_t i = 0; i < count && i < ADDRESSES_MOST; i++) {
        const int file = round_trip_bind(addresses[i], &offer->places[offer->count]);
        if (file >= 0)
            trip->sockets[offer->count++] = file;
    }
}

/* Waits until one of the sockets that are not kept yet has something; returns what poll does. */
static int round_trip_poll(const struct round_trip *trip, struct pollfd watched[ADDRESSES_MOST], int wait_ms)
{
    for (int place = 0; place < ADDRESSES_MOST; place++)
        watched[place] = (struct pollfd){.fd = trip->sockets[place], .events = POLLIN};
    return poll(watched, ADDRESSES_MOST, wait_ms);
}

void round_trip_answer(struct round_trip *trip, int wait_ms)
{
    struct pollfd watched[ADDRESSES_MOST];
    if (round_trip_poll(trip, watched, wait_ms) <= 0)
        return;
    for (int place = 0; place < ADDRESSES_MOST; place++) {
        struct round_trip_datagram word = {0};
        struct sockaddr_in from;
        socklen_t length = sizeof from;
        if (!watched[place].revents)
            continue;
        const ssize_t bytes =
            recvfrom(trip->sockets[place], &word, sizeof word, MSG_TRUNC, (struct sockaddr *)(void *)&from, &length);
        const struct round_trip_datagram greeting = round_trip_word(trip, ROUND_TRIP_GREETING, 0, word.step);
        if (!round_trip_is(&word, bytes, &greeting) || trip->mute)
            continue;
        trip->heard[place] = from;
        word.kind = ROUND_TRIP_GREETED;
        (void)!sendto(trip->sockets[place], &word, sizeof word, MSG_NOSIGNAL,
                      (const struct sockaddr *)(const void *)&from, length);
    }
}

/* The lowest number of the places that answer the greetings of a round in time; -1: none does. */
static int round_trip_greeted(const struct round_trip *trip, uint32_t round)
{
    const struct round_trip_datagram wanted = round_trip_word(trip, ROUND_TRIP_GREETED, 0, round);
    const int64_t until_ns = moment_now() + ROUND_TRIP_PATIENCE_NS;
    struct pollfd watched[ADDRESSES_MOST];
    int lowest = ADDRESSES_MOST;
    for (int64_t left_ns; lowest > 0 && (left_ns = until_ns - moment_now()) > 0;) {
        if (round_trip_poll(trip, watched, (int)(1 + left_ns / 1000000)) <= 0)
            continue;
        for (int place = 0; place < lowest; place++) {
            struct round_trip_datagram word = {0};
            if (watched[place].revents &&
                round_trip_is(&word, recv(trip->sockets[place], &word, sizeof word, MSG_TRUNC), &wanted))
                lowest = place;
        }
    }
    return lowest < ADDRESSES_MOST ? lowest : -1;
}

int round_trip_greet(struct round_trip *trip, const struct round_trip_offer *offer)
{
    int found = -1;
    trip->key = offer->key;
    for (uint64_t place = 0; place < offer->count && place < ADDRESSES_MOST; place++) {
        trip->sockets[place] = round_trip_socket();
        if (trip->sockets[place] >= 0 && !round_trip_connect(trip->sockets[place], &offer->places[place]))
            round_trip_drop(&trip->sockets[place]);
    }
    for (uint32_t round = 0; offer->count > 0 && round < ROUND_TRIP_ROUNDS && found < 0; round++) {
        const struct round_trip_datagram greeting = round_trip_word(trip, ROUND_TRIP_GREETING, 0, round);
        for (int place = 0; place < ADDRESSES_MOST; place++)
            if (trip->sockets[place] >= 0)
                round_trip_send(trip, trip->sockets[place], &greeting);
        found = round_trip_greeted(trip, round);
    }
    return found;
}

void round_trip_keep(struct round_trip *trip, int place)
{
    if (place >= 0 && place < ADDRESSES_MOST) {
        trip->socket = trip->sockets[place];
        trip->sockets[place] = -1;
        if (trip->socket >= 0 && !trip->first && !round_trip_connect(trip->socket, &trip->heard[place]))
            round_trip_drop(&trip->socket);
    }
    for (int each = 0; each < ADDRESSES_MOST; each++)
        round_trip_drop(&trip->sockets[each]);
}

/* Waits for that datagram, and throws all others away. */
static bool round_trip_hear(const struct round_trip *trip, const struct round_trip_datagram *wanted, int64_t until_ns)
{
    const int64_t begin_ns = moment_now();
    for (int64_t now_ns = begin_ns; now_ns < until_ns; now_ns = moment_now()) {
        struct round_trip_datagram word = {0};
        const ssize_t length = recv(trip->socket, &word, sizeof word, MSG_TRUNC);
        if (round_trip_is(&word, length, wanted))
            return true;
        if (length >= 0 || now_ns - begin_ns < ROUND_TRIP_SPIN_NS)
            continue;
        const struct timespec left = {.tv_nsec = (long)(until_ns - now_ns)};
        struct pollfd watched = {.fd = trip->socket, .events = POLLIN};
        (void)ppoll(&watched, 1, &left, NULL);
    }
    return false;
}

/* There and back: the first sends and hears, the second hears and sends. */
static bool round_trip_turn(const struct round_trip *trip, uint64_t number, uint32_t step)
{
    const struct round_trip_datagram ping = round_trip_word(trip, ROUND_TRIP_PING, number, step);
    const struct round_trip_datagram pong = round_trip_word(trip, ROUND_TRIP_PONG, number, step);
    if (trip->first)
        round_trip_send(trip, trip->socket, &ping);
    if (!round_trip_hear(trip, trip->first ? &pong : &ping, moment_now() + ROUND_TRIP_PATIENCE_NS))
        return false;
    if (!trip->first)
        round_trip_send(trip, trip->socket, &pong);
    return true;
}

double round_trip_read(struct round_trip *trip, uint64_t number)
{
    double times_us[ROUND_TRIP_TRIPS];
    if (trip->socket < 0)
        return NAN;
    bool heard = round_trip_turn(trip, number, 0); /* both have come */
    for (uint32_t step = 1; step <= ROUND_TRIP_TRIPS && heard; step++) {
        const int64_t begin_ns = moment_now();
        heard = round_trip_turn(trip, number, step);
        times_us[step - 1] = (double)(moment_now() - begin_ns) / 1e3;
    }
    trip->failures = heard ? 0 : trip->failures + 1;
    if (trip->failures == ROUND_TRIP_FAILURES)
        round_trip_drop(&trip->socket);
    return heard && trip->first ? statistics_median(times_us, ROUND_TRIP_TRIPS) : NAN;
}

void round_trip_close(struct round_trip *trip)
{
    round_trip_keep(trip, -1);
    round_trip_drop(&trip->socket);
}
