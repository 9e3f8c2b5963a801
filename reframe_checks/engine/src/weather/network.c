/* SPDX-License-Identifier: BSD-3-Clause */
/* network.c: pairs of hosts find a way for datagrams, and read it or the library's (see network.h). */
#include "weather/network.h"

#include "instruments/moment.h"
#include "machine/team_talk.h"
#include "statistics/median.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { NETWORK_TAG = 106, NETWORK_TRIPS = 5, NETWORK_WAIT_MS = 1 };

const char *const NETWORK_WAYS[] = {
    [NETWORK_NONE] = "",
    [NETWORK_UDP] = "udp",
    [NETWORK_MPI] = "mpi",
};

struct network network_none(void)
{
    return (struct network){.opposite = -1, .trip = round_trip_make(true)};
}

/* The first end: greets what the second offers, and tells it which place is kept. */
static int network_lead(struct network *network, const struct team *team, bool *homeless, struct fault *fault)
{
    struct round_trip_offer offer;
    if (team_receive(team, &offer, (int)sizeof offer, MPI_BYTE, network->opposite, NETWORK_TAG, fault))
        return (int)fault->code;
    int place = round_trip_greet(&network->trip, &offer);
    *homeless = offer.count == 0;
    if (team_send(team, &place, 1, MPI_INT, network->opposite, NETWORK_TAG, fault))
        return (int)fault->code;
    round_trip_keep(&network->trip, place);
    return 0;
}

/* The second end: offers its addresses, and answers until the first has chosen one of them. */
static int network_follow(struct network *network, const struct team *team, struct fault *fault)
{
    struct in_addr addresses[ADDRESSES_MOST];
    struct round_trip_offer offer;
    MPI_Request request = MPI_REQUEST_NULL;
    int place = -1, told = 0;
    round_trip_listen(&network->trip, addresses, addresses_own(addresses), &offer);
    if (team_send(team, &offer, (int)sizeof offer, MPI_BYTE, network->opposite, NETWORK_TAG, fault) ||
        team_mpi(fault, MPI_Irecv(&place, 1, MPI_INT, network->opposite, NETWORK_TAG, team->comm, &request),
                 "MPI_Irecv"))
        return (int)fault->code;
    while (!told) {
        round_trip_answer(&network->trip, NETWORK_WAIT_MS);
        if (team_mpi(fault, MPI_Test(&request, &told, MPI_STATUS_IGNORE), "MPI_Test"))
            return (int)fault->code;
    }
    round_trip_keep(&network->trip, place);
    return 0;
}

int network_open(struct network *network, const struct team *team, const struct environment *environment, bool blocked,
                 struct fault *fault)
{
    *network = network_none();
    if (environment->hosts < 2)
        return 0;
    const bool first = environment->opposite > team->rank;
    bool homeless = false;
    network->opposite = environment->opposite;
    network->trip = round_trip_make(first);
    network->trip.mute = blocked;
    if (network->opposite >= 0 &&
        (first ? network_lead(network, team, &homeless, fault) : network_follow(network, team, fault)))
        return (int)fault->code;
    network->joined = network->trip.socket >= 0;
    int64_t counts[3] = {first, first && network->joined, homeless};
    if (team_sum(team, counts, 3, fault))
        return (int)fault->code;
    network->way = counts[1] > 0 ? NETWORK_UDP : NETWORK_MPI;
    network->all = counts[0];
    network->pairs = counts[1] > 0 ? counts[1] : counts[0];
    network->homeless = counts[2];
    return 0;
}

/* The library's own ping-pong, of a word. */
static int network_turn(const struct network *network, const struct team *team, struct fault *fault)
{
    int64_t word = 0;
    const int peer = network->opposite;
    if (network->trip.first)
        return team_send(team, &word, 1, MPI_INT64_T, peer, NETWORK_TAG, fault) ||
               team_receive(team, &word, 1, MPI_INT64_T, peer, NETWORK_TAG, fault);
    return team_receive(team, &word, 1, MPI_INT64_T, peer, NETWORK_TAG, fault) ||
           team_send(team, &word, 1, MPI_INT64_T, peer, NETWORK_TAG, fault);
}

static int network_read_library(const struct network *network, const struct team *team, double *time_us,
                                struct fault *fault)
{
    double times_us[NETWORK_TRIPS];
    if (network_turn(network, team, fault)) /* both have come */
        return (int)fault->code;
    for (int trip = 0; trip < NETWORK_TRIPS; trip++) {
        const int64_t begin_ns = moment_now();
        if (network_turn(network, team, fault))
            return (int)fault->code;
        times_us[trip] = (double)(moment_now() - begin_ns) / 1e3;
    }
    if (network->trip.first)
        *time_us = statistics_median(times_us, NETWORK_TRIPS);
    return 0;
}

int network_read(struct network *network, const struct team *team, uint64_t number, bool blocked, double *time_us,
                 struct fault *fault)
{
    *time_us = NAN;
    if (network->way == NETWORK_MPI && network->opposite >= 0)
        return network_read_library(network, team, time_us, fault);
    network->trip.mute = blocked;
    *time_us = round_trip_read(&network->trip, number);
    return 0;
}

int network_end(struct network *network, const struct team *team, struct fault *fault)
{
    if (network->way == NETWORK_NONE)
        return 0;
    network->lost = network->joined && network->trip.first && network->trip.socket < 0;
    return team_sum(team, &network->lost, 1, fault);
}

void network_why_not(const struct network *network, char *text, size_t capacity)
{
    const int64_t joined = network->way == NETWORK_UDP ? network->pairs : 0;
    const int64_t silent = network->all - joined;
    char homeless[64] = "";
    text[0] = '\0';
    if (network->homeless > 0)
        snprintf(homeless, sizeof homeless, ", %" PRId64 " for want of an IPv4 address", network->homeless);
    if (silent > 0)
        snprintf(text, capacity,
                 "%" PRId64 " of %" PRId64 " pairs of hosts do not answer datagrams (UDP) within %d ms%s", silent,
                 network->all, ROUND_TRIP_PATIENCE_MS, homeless);
}

void network_close(struct network *network)
{
    round_trip_close(&network->trip);
}
