/* SPDX-License-Identifier: BSD-3-Clause */
/* round_trip.c: addresses of this host, and a ping-pong of datagrams (see round_trip.h). */
#include "instruments/round_trip.h"

#include "instruments/moment.h"
#include "statistics/statistics.h"

#include <ifaddrs.h>
#include <math.h>
#include <net/if.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

/* Read the speed in Mbit/s; 0 if the kernel does not report it. */
static long addresses_speed(const char *interface)
{
    char path[80];
    long speed = 0;
    snprintf(path, sizeof path, "/sys/class/net/%.40s/speed", interface);
    FILE *const file = fopen(path, "r");
    if (file != NULL && fscanf(file, "%ld", &speed) != 1)
        speed = 0;
    if (file != NULL)
        fclose(file);
    return speed > 0 ? speed : 0;
}

static bool addresses_may_be_used(const struct ifaddrs *interface)
{
    const unsigned expected = IFF_UP | IFF_RUNNING;
    return interface->ifa_addr != NULL && interface->ifa_addr->sa_family == AF_INET &&
           (interface->ifa_flags & expected) == expected && !(interface->ifa_flags & IFF_LOOPBACK);
}

size_t addresses_list(struct in_addr addresses[MAX_ADDRESSES])
{
    struct ifaddrs *interfaces = NULL;
    long speeds[MAX_ADDRESSES];
    size_t count = 0;
    if (getifaddrs(&interfaces) != 0)
        return 0;
    for (const struct ifaddrs *entry = interfaces; entry != NULL; entry = entry->ifa_next) {
        if (!addresses_may_be_used(entry))
            continue;
        struct sockaddr_in address;
        memcpy(&address, entry->ifa_addr, sizeof address);
        const long speed = addresses_speed(entry->ifa_name);
        size_t at = count;
        for (; at > 0 && speeds[at - 1] < speed; at--)
            if (at < MAX_ADDRESSES) {
                speeds[at] = speeds[at - 1];
                addresses[at] = addresses[at - 1];
            }
        if (at == MAX_ADDRESSES)
            continue;
        speeds[at] = speed;
        addresses[at] = address.sin_addr;
        count += count < MAX_ADDRESSES;
    }
    freeifaddrs(interfaces);
    return count;
}

enum { ROUND_TRIP_TRIPS = 5 };

static const uint64_t ROUND_TRIP_MAGIC = 0x49736f6368726f6e; /* "Isochron" */
static const int64_t ROUND_TRIP_PATIENCE_NS = ROUND_TRIP_PATIENCE_MS * INT64_C(1000000);
/* The socket is polled without sleeping for this time: waking up takes longer than a datagram on a fast network. */
static const int64_t ROUND_TRIP_SPIN_NS = 200000;

enum round_trip_kind { ROUND_TRIP_GREETING, ROUND_TRIP_GREETED, ROUND_TRIP_PING, ROUND_TRIP_PONG };

/* As sent, without padding. */
struct round_trip_datagram {
    uint64_t magic;
    uint64_t key;
    uint64_t number; /* of the reading */
    uint32_t step;   /* within the reading; of a greeting: the round */
    uint32_t kind;
};

static struct round_trip_datagram round_trip_compose(const struct round_trip *trip, enum round_trip_kind kind,
                                                     uint64_t number, uint32_t step)
{
    return (struct round_trip_datagram){ROUND_TRIP_MAGIC, trip->key, number, step, (uint32_t)kind};
}

static void round_trip_send(const struct round_trip *trip, int file, const struct round_trip_datagram *datagram)
{
    if (!trip->silent)
        (void)!send(file, datagram, sizeof *datagram, MSG_NOSIGNAL);
}

static bool round_trip_is(const struct round_trip_datagram *received, ssize_t length,
                          const struct round_trip_datagram *expected)
{
    return length == (ssize_t)sizeof *received && memcmp(received, expected, sizeof *received) == 0;
}

static int round_trip_socket(void)
{
    return socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* Close a socket and mark it as closed. */
static void round_trip_drop(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

static bool round_trip_connect(int file, const struct sockaddr_in *address)
{
    return connect(file, (const struct sockaddr *)(const void *)address, sizeof *address) == 0;
}

struct round_trip round_trip_make(bool first)
{
    struct round_trip trip = {.socket = -1, .first = first};
    for (int index = 0; index < MAX_ADDRESSES; index++)
        trip.sockets[index] = -1;
    return trip;
}

/* Bind a socket to a port that the kernel chooses, and set *bound to its address. */
static int round_trip_bind(struct in_addr address, struct sockaddr_in *bound)
{
    socklen_t length = sizeof *bound;
    int file = round_trip_socket();
    *bound = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = address};
    if (file >= 0 && (bind(file, (const struct sockaddr *)(const void *)bound, sizeof *bound) != 0 ||
                      getsockname(file, (struct sockaddr *)(void *)bound, &length) != 0))
        round_trip_drop(&file);
    return file;
}

void round_trip_listen(struct round_trip *trip, const struct in_addr *addresses, size_t count,
                       struct round_trip_offer *offer)
{
    *offer = (struct round_trip_offer){.key = (uint64_t)moment_now()};
    (void)!getrandom(&offer->key, sizeof offer->key, GRND_NONBLOCK);
    trip->key = offer->key;
    for (size_t i = 0; i < count && i < MAX_ADDRESSES; i++) {
        const int file = round_trip_bind(addresses[i], &offer->addresses[offer->count]);
        if (file >= 0)
            trip->sockets[offer->count++] = file;
    }
}

/* Wait until one of the sockets has a datagram; return the result of poll. */
static int round_trip_poll(const struct round_trip *trip, struct pollfd polled[MAX_ADDRESSES], int wait_ms)
{
    for (int index = 0; index < MAX_ADDRESSES; index++)
        polled[index] = (struct pollfd){.fd = trip->sockets[index], .events = POLLIN};
    return poll(polled, MAX_ADDRESSES, wait_ms);
}

void round_trip_answer(struct round_trip *trip, int wait_ms)
{
    struct pollfd polled[MAX_ADDRESSES];
    if (round_trip_poll(trip, polled, wait_ms) <= 0)
        return;
    for (int index = 0; index < MAX_ADDRESSES; index++) {
        struct round_trip_datagram datagram = {0};
        struct sockaddr_in from;
        socklen_t length = sizeof from;
        if (!polled[index].revents)
            continue;
        const ssize_t bytes = recvfrom(trip->sockets[index], &datagram, sizeof datagram, MSG_TRUNC,
                                       (struct sockaddr *)(void *)&from, &length);
        const struct round_trip_datagram greeting = round_trip_compose(trip, ROUND_TRIP_GREETING, 0, datagram.step);
        if (!round_trip_is(&datagram, bytes, &greeting) || trip->silent)
            continue;
        trip->greeted_by[index] = from;
        datagram.kind = ROUND_TRIP_GREETED;
        (void)!sendto(trip->sockets[index], &datagram, sizeof datagram, MSG_NOSIGNAL,
                      (const struct sockaddr *)(const void *)&from, length);
    }
}

/* Return the lowest index of the addresses that answer the greetings of a round in time; -1: none does. */
static int round_trip_lowest_greeted(const struct round_trip *trip, uint32_t round)
{
    const struct round_trip_datagram expected = round_trip_compose(trip, ROUND_TRIP_GREETED, 0, round);
    const int64_t until_ns = moment_now() + ROUND_TRIP_PATIENCE_NS;
    struct pollfd polled[MAX_ADDRESSES];
    int lowest = MAX_ADDRESSES;
    for (int64_t left_ns; lowest > 0 && (left_ns = until_ns - moment_now()) > 0;) {
        if (round_trip_poll(trip, polled, (int)(1 + left_ns / 1000000)) <= 0)
            continue;
        for (int index = 0; index < lowest; index++) {
            struct round_trip_datagram datagram = {0};
            if (polled[index].revents &&
                round_trip_is(&datagram, recv(trip->sockets[index], &datagram, sizeof datagram, MSG_TRUNC), &expected))
                lowest = index;
        }
    }
    return lowest < MAX_ADDRESSES ? lowest : -1;
}

int round_trip_greet(struct round_trip *trip, const struct round_trip_offer *offer)
{
    int answered = -1;
    trip->key = offer->key;
    for (uint64_t index = 0; index < offer->count && index < MAX_ADDRESSES; index++) {
        trip->sockets[index] = round_trip_socket();
        if (trip->sockets[index] >= 0 && !round_trip_connect(trip->sockets[index], &offer->addresses[index]))
            round_trip_drop(&trip->sockets[index]);
    }
    for (uint32_t round = 0; offer->count > 0 && round < ROUND_TRIP_ROUNDS && answered < 0; round++) {
        const struct round_trip_datagram greeting = round_trip_compose(trip, ROUND_TRIP_GREETING, 0, round);
        for (int index = 0; index < MAX_ADDRESSES; index++)
            if (trip->sockets[index] >= 0)
                round_trip_send(trip, trip->sockets[index], &greeting);
        answered = round_trip_lowest_greeted(trip, round);
    }
    return answered;
}

void round_trip_select(struct round_trip *trip, int index)
{
    if (index >= 0 && index < MAX_ADDRESSES) {
        trip->socket = trip->sockets[index];
        trip->sockets[index] = -1;
        if (trip->socket >= 0 && !trip->first && !round_trip_connect(trip->socket, &trip->greeted_by[index]))
            round_trip_drop(&trip->socket);
    }
    for (int i = 0; i < MAX_ADDRESSES; i++)
        round_trip_drop(&trip->sockets[i]);
}

/* Wait for the expected datagram and discard all others; return true if it arrived in time. */
static bool round_trip_receive(const struct round_trip *trip, const struct round_trip_datagram *expected,
                               int64_t until_ns)
{
    const int64_t begin_ns = moment_now();
    for (int64_t now_ns = begin_ns; now_ns < until_ns; now_ns = moment_now()) {
        struct round_trip_datagram datagram = {0};
        const ssize_t length = recv(trip->socket, &datagram, sizeof datagram, MSG_TRUNC);
        if (round_trip_is(&datagram, length, expected))
            return true;
        if (length >= 0 || now_ns - begin_ns < ROUND_TRIP_SPIN_NS)
            continue;
        const struct timespec left = {.tv_nsec = (long)(until_ns - now_ns)};
        struct pollfd polled = {.fd = trip->socket, .events = POLLIN};
        (void)ppoll(&polled, 1, &left, NULL);
    }
    return false;
}

/* One round trip: the first end sends and receives, the second receives and sends. */
static bool round_trip_turn(const struct round_trip *trip, uint64_t number, uint32_t step)
{
    const struct round_trip_datagram ping = round_trip_compose(trip, ROUND_TRIP_PING, number, step);
    const struct round_trip_datagram pong = round_trip_compose(trip, ROUND_TRIP_PONG, number, step);
    if (trip->first)
        round_trip_send(trip, trip->socket, &ping);
    if (!round_trip_receive(trip, trip->first ? &pong : &ping, moment_now() + ROUND_TRIP_PATIENCE_NS))
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
    bool received = round_trip_turn(trip, number, 0); /* both have arrived */
    for (uint32_t step = 1; step <= ROUND_TRIP_TRIPS && received; step++) {
        const int64_t begin_ns = moment_now();
        received = round_trip_turn(trip, number, step);
        times_us[step - 1] = (double)(moment_now() - begin_ns) / 1e3;
    }
    trip->failures = received ? 0 : trip->failures + 1;
    if (trip->failures == ROUND_TRIP_FAILURES)
        round_trip_drop(&trip->socket);
    return received && trip->first ? statistics_median(times_us, ROUND_TRIP_TRIPS) : NAN;
}

void round_trip_close(struct round_trip *trip)
{
    round_trip_select(trip, -1);
    round_trip_drop(&trip->socket);
}
