/* SPDX-License-Identifier: BSD-3-Clause */
/* network.c: pairs of hosts find addresses for datagrams, and read round trips (see network.h). */
#include "probes/network.h"

#include "instruments/moment.h"
#include "machine/team.h"
#include "statistics/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { NETWORK_TAG = 106, NETWORK_TRIPS = 5, NETWORK_WAIT_MS = 1 };

const char *const NETWORK_METHODS[] = {
    [NETWORK_NONE] = "",
    [NETWORK_UDP] = "udp",
    [NETWORK_MPI] = "mpi",
};

struct network network_none(void)
{
    return (struct network){.partner = -1, .trip = round_trip_make(true)};
}

/* First end: greet the offered addresses, and send the selected index to the second. */
static int network_greet(struct network *network, const struct team *team, bool *without_address, struct fault *fault)
{
    struct round_trip_offer offer;
    if (team_receive(team, &offer, (int)sizeof offer, MPI_BYTE, network->partner, NETWORK_TAG, fault))
        return (int)fault->code;
    int index = round_trip_greet(&network->trip, &offer);
    *without_address = offer.count == 0;
    if (team_send(team, &index, 1, MPI_INT, network->partner, NETWORK_TAG, fault))
        return (int)fault->code;
    round_trip_select(&network->trip, index);
    return 0;
}

/* Second end: offer addresses, and answer greetings until the first end has selected one. */
static int network_answer(struct network *network, const struct team *team, struct fault *fault)
{
    struct in_addr addresses[MAX_ADDRESSES];
    struct round_trip_offer offer;
    MPI_Request request = MPI_REQUEST_NULL;
    int index = -1, received = 0;
    round_trip_listen(&network->trip, addresses, addresses_list(addresses), &offer);
    if (team_send(team, &offer, (int)sizeof offer, MPI_BYTE, network->partner, NETWORK_TAG, fault) ||
        team_mpi(fault, MPI_Irecv(&index, 1, MPI_INT, network->partner, NETWORK_TAG, team->comm, &request),
                 "MPI_Irecv"))
        return (int)fault->code;
    while (!received) {
        round_trip_answer(&network->trip, NETWORK_WAIT_MS);
        if (team_mpi(fault, MPI_Test(&request, &received, MPI_STATUS_IGNORE), "MPI_Test"))
            return (int)fault->code;
    }
    round_trip_select(&network->trip, index);
    return 0;
}

int network_open(struct network *network, const struct team *team, const struct environment *environment, bool blocked,
                 struct fault *fault)
{
    *network = network_none();
    if (environment->hosts < 2)
        return 0;
    const bool first = environment->partner > team->rank;
    bool without_address = false;
    network->partner = environment->partner;
    network->trip = round_trip_make(first);
    network->trip.silent = blocked;
    if (network->partner >= 0 &&
        (first ? network_greet(network, team, &without_address, fault) : network_answer(network, team, fault)))
        return (int)fault->code;
    network->joined = network->trip.socket >= 0;
    int64_t counts[3] = {first, first && network->joined, without_address};
    if (team_sum(team, counts, 3, fault))
        return (int)fault->code;
    network->method = counts[1] > 0 ? NETWORK_UDP : NETWORK_MPI;
    network->all_pairs = counts[0];
    network->pairs = counts[1] > 0 ? counts[1] : counts[0];
    network->without_address = counts[2];
    return 0;
}

/* One round trip of an integer by the MPI library. */
static int network_turn(const struct network *network, const struct team *team, struct fault *fault)
{
    int64_t value = 0;
    const int peer = network->partner;
    if (network->trip.first)
        return team_send(team, &value, 1, MPI_INT64_T, peer, NETWORK_TAG, fault) ||
               team_receive(team, &value, 1, MPI_INT64_T, peer, NETWORK_TAG, fault);
    return team_receive(team, &value, 1, MPI_INT64_T, peer, NETWORK_TAG, fault) ||
           team_send(team, &value, 1, MPI_INT64_T, peer, NETWORK_TAG, fault);
}

static int network_read_library(const struct network *network, const struct team *team, double *time_us,
                                struct fault *fault)
{
    double times_us[NETWORK_TRIPS];
    if (network_turn(network, team, fault)) /* both have arrived */
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
    if (network->method == NETWORK_MPI && network->partner >= 0)
        return network_read_library(network, team, time_us, fault);
    network->trip.silent = blocked;
    *time_us = round_trip_read(&network->trip, number);
    return 0;
}

int network_end(struct network *network, const struct team *team, struct fault *fault)
{
    if (network->method == NETWORK_NONE)
        return 0;
    network->lost = network->joined && network->trip.first && network->trip.socket < 0;
    return team_sum(team, &network->lost, 1, fault);
}

void network_explain(const struct network *network, char *text, size_t capacity)
{
    const int64_t joined = network->method == NETWORK_UDP ? network->pairs : 0;
    const int64_t silent = network->all_pairs - joined;
    char without_address[64] = "";
    text[0] = '\0';
    if (network->without_address > 0)
        snprintf(without_address, sizeof without_address, ", %" PRId64 " without an IPv4 address",
                 network->without_address);
    if (silent > 0)
        snprintf(text, capacity,
                 "%" PRId64 " of %" PRId64 " pairs of hosts do not answer datagrams (UDP) within %d ms%s", silent,
                 network->all_pairs, ROUND_TRIP_PATIENCE_MS, without_address);
}

void network_close(struct network *network)
{
    round_trip_close(&network->trip);
}
