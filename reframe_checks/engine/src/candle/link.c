/* SPDX-License-Identifier: BSD-3-Clause */
/* link.c: one way to send and receive over lanes and datagrams (see link.h). */
#include "candle/link.h"

#include "instruments/moment.h"

#include <sched.h>
#include <string.h>

enum {
    LINK_POLLS = 16,    /* unsuccessful tries between readings of the network */
    LINK_YIELDS = 64,   /* crowded: tries before the core is given up, from then on each time */
    LINK_CHECKS = 16384 /* between readings of the time */
};
static const int64_t LINK_FLUSH_NS = 200 * 1000 * 1000;

struct transfer {
    int peer;
    char *data;
    size_t bytes;
    size_t done;
    bool complete;
};

static struct transfer link_transfer(const struct link *link, int peer, void *data, size_t bytes)
{
    return (struct transfer){peer, data, bytes, 0, peer == LINK_NOBODY || peer == link->rank};
}

/* Move the next piece of a transfer; false if that is not possible yet. */
static bool link_move(struct link *link, struct transfer *transfer, bool sending)
{
    const int local = link->local[transfer->peer];
    const size_t piece = local == LINK_NOBODY ? DATAGRAM_PIECE : LANE_CELL;
    const size_t left = transfer->bytes - transfer->done;
    const size_t bytes = left < piece ? left : piece;
    char *const data = transfer->data == NULL ? NULL : transfer->data + transfer->done;
    const bool moved = local == LINK_NOBODY ? (sending ? datagrams_put(&link->datagrams, transfer->peer, data, bytes)
                                                       : datagrams_get(&link->datagrams, transfer->peer, data, bytes))
                                            : (sending ? lanes_put(&link->lanes, local, data, bytes)
                                                       : lanes_get(&link->lanes, local, data, bytes));
    transfer->done += moved ? bytes : 0;
    transfer->complete = moved && transfer->done == transfer->bytes;
    return moved;
}

static void link_pause(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

/*
 * After an unsuccessful try, of which there were that many in a row: read the network, give up the core, read the
 * time. *begin_ns is when the wait began; 0: not known yet.
 */
static void link_wait(struct link *link, int tries, int64_t *begin_ns, const struct transfer *missing)
{
    if (link->remote && (link->crowded || tries % LINK_POLLS == 0))
        datagrams_progress(&link->datagrams);
    if (link->crowded && tries >= LINK_YIELDS)
        sched_yield();
    else
        link_pause();
    if (tries % LINK_CHECKS != 0)
        return;
    const int64_t now_ns = moment_now();
    *begin_ns = *begin_ns == 0 ? now_ns : *begin_ns;
    if (now_ns - *begin_ns > link->limit_ns)
        fault_set(&link->fault, FAULT_SYSTEM, "rank %d waited %.3g s for rank %d; ended", link->rank,
                  1e-9 * (double)link->limit_ns, missing->peer);
}

void link_exchange(struct link *link, int to, const void *sent, size_t sent_bytes, int from, void *received,
                   size_t received_bytes)
{
    struct transfer out = link_transfer(link, to, (void *)(uintptr_t)sent, sent_bytes);
    struct transfer in = link_transfer(link, from, received, received_bytes);
    int64_t begin_ns = 0;
    if (to == link->rank && from == link->rank && received_bytes > 0)
        memcpy(received, sent, received_bytes);
    for (int tries = 1; (!out.complete || !in.complete) && link->fault.code == FAULT_NONE; tries++) {
        const bool left = !out.complete && link_move(link, &out, true);
        const bool came = !in.complete && link_move(link, &in, false);
        if (!left && !came) {
            link_wait(link, tries, &begin_ns, in.complete ? &out : &in);
            continue;
        }
        tries = 0;
        begin_ns = 0;
    }
}

void link_send(struct link *link, int to, const void *data, size_t bytes)
{
    link_exchange(link, to, data, bytes, LINK_NOBODY, NULL, 0);
}

void link_receive(struct link *link, int from, void *data, size_t bytes)
{
    link_exchange(link, LINK_NOBODY, NULL, 0, from, data, bytes);
}

void link_flush(struct link *link)
{
    const int64_t begin_ns = link->remote ? moment_now() : 0;
    while (link->remote && !datagrams_acknowledged(&link->datagrams) && moment_now() - begin_ns < LINK_FLUSH_NS) {
        datagrams_progress(&link->datagrams);
        sched_yield();
    }
}
