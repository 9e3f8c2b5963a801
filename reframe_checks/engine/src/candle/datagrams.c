/* SPDX-License-Identifier: BSD-3-Clause */
/* datagrams.c: numbered pieces, acknowledgements and retransmission (see datagrams.h). */
#include "candle/datagrams.h"

#include "base/random.h"
#include "instruments/moment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const int64_t DATAGRAM_PATIENCE_NS = 2 * 1000 * 1000; /* until the first retransmission; doubles up to */
static const int64_t DATAGRAM_MAX_PATIENCE_NS = 64 * 1000 * 1000;
enum { DATAGRAM_SOCKET_BYTES = 4 << 20, DATAGRAM_AGAIN = 16 }; /* pieces that are retransmitted together */
enum { DATAGRAM_NO_DATA = 0xffff };                            /* the length of a datagram without a piece */

struct datagram {
    uint64_t key;
    uint32_t source;
    uint32_t number;   /* of the piece; without a piece: of the next one */
    uint32_t received; /* pieces, in order */
    uint32_t taken;    /* of them */
    uint32_t length;
    uint32_t wants_answer;
    char data[DATAGRAM_PIECE];
};

enum { DATAGRAM_HEAD = offsetof(struct datagram, data) };

struct piece {
    uint32_t length;
    char data[DATAGRAM_PIECE];
};

struct datagram_stream {
    uint32_t next, acknowledged, peer_taken; /* pieces to the peer */
    uint32_t received, taken;                /* pieces from the peer */
    uint32_t reported_taken;                 /* the last number taken that was sent to the peer */
    bool owes_answer, answered;
    int tried;                  /* which of the peer's addresses is in use, until it has answered */
    struct sockaddr_in address; /* from which it has answered, or that one */
    int64_t sent_ns, patience_ns;
    struct piece out[DATAGRAM_WINDOW], in[DATAGRAM_WINDOW];
};

int datagrams_open(struct datagrams *datagrams, int rank, int size, uint64_t key, double lost, uint16_t *port,
                   struct fault *fault)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    const int bytes = DATAGRAM_SOCKET_BYTES;
    *datagrams = (struct datagrams){
        .rank = rank, .size = size, .key = key, .lost = lost, .random = key ^ (uint64_t)rank, .socket = -1};
    datagrams->socket = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (datagrams->socket < 0 ||
        bind(datagrams->socket, (const struct sockaddr *)(const void *)&address, sizeof address) != 0 ||
        getsockname(datagrams->socket, (struct sockaddr *)(void *)&address, &length) != 0)
        return fault_set(fault, FAULT_SYSTEM, "cannot open a socket for datagrams: %s", strerror(errno));
    setsockopt(datagrams->socket, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes); /* the kernel may give less */
    *port = address.sin_port;
    return 0;
}

int datagrams_connect(struct datagrams *datagrams, const struct datagram_peer *peers, struct fault *fault)
{
    const size_t size = (size_t)datagrams->size;
    datagrams->peers = peers;
    datagrams->streams = calloc(size, sizeof(struct datagram_stream *));
    datagrams->used = calloc(size, sizeof *datagrams->used);
    if (datagrams->streams == NULL || datagrams->used == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the streams to %zu processes", size);
    return 0;
}

void datagrams_close(struct datagrams *datagrams)
{
    for (int i = 0; i < datagrams->used_count; i++)
        free(datagrams->streams[datagrams->used[i]]);
    free(datagrams->streams);
    free(datagrams->used);
    if (datagrams->socket >= 0)
        close(datagrams->socket);
    *datagrams = (struct datagrams){.socket = -1};
}

/* Return the stream to or from a rank, a new one for the first piece; NULL if memory is short. */
static struct datagram_stream *datagrams_stream(struct datagrams *datagrams, int rank)
{
    struct datagram_stream *stream = datagrams->streams[rank];
    if (stream == NULL && (stream = calloc(1, sizeof *stream)) != NULL) {
        stream->patience_ns = DATAGRAM_PATIENCE_NS;
        stream->address.sin_family = AF_INET;
        stream->address.sin_port = datagrams->peers[rank].port;
        stream->address.sin_addr.s_addr = datagrams->peers[rank].addresses[0];
        datagrams->streams[rank] = stream;
        datagrams->used[datagrams->used_count++] = rank;
    }
    return stream;
}

static void datagrams_send(struct datagrams *datagrams, int to, struct datagram *datagram, size_t bytes)
{
    struct datagram_stream *const stream = datagrams->streams[to];
    datagram->key = datagrams->key;
    datagram->source = (uint32_t)datagrams->rank;
    datagram->received = stream->received;
    datagram->taken = stream->reported_taken = stream->taken;
    stream->owes_answer = false;
    if (datagrams->lost > 0 && (double)(random_next(&datagrams->random) >> 11) * 0x1p-53 < datagrams->lost)
        return;
    /* Whatever is not sent now is sent again later. */
    (void)!sendto(datagrams->socket, datagram, DATAGRAM_HEAD + bytes, MSG_NOSIGNAL,
                  (const struct sockaddr *)(const void *)&stream->address, sizeof stream->address);
}

static void datagrams_send_piece(struct datagrams *datagrams, int to, uint32_t number, bool again)
{
    struct datagram_stream *const stream = datagrams->streams[to];
    const struct piece *const piece = &stream->out[number % DATAGRAM_WINDOW];
    struct datagram datagram;
    datagram.number = number;
    datagram.length = piece->length;
    datagram.wants_answer = again;
    memcpy(datagram.data, piece->data, piece->length);
    datagrams_send(datagrams, to, &datagram, piece->length);
}

/* Send what this process received and took; with wants_answer the peer does the same. */
static void datagrams_send_state(struct datagrams *datagrams, int to, bool wants_answer)
{
    struct datagram datagram;
    datagram.number = datagrams->streams[to]->next;
    datagram.length = DATAGRAM_NO_DATA;
    datagram.wants_answer = wants_answer;
    datagrams_send(datagrams, to, &datagram, 0);
}

bool datagrams_put(struct datagrams *datagrams, int to, const char *data, size_t bytes)
{
    struct datagram_stream *const stream = datagrams_stream(datagrams, to);
    if (stream == NULL || stream->next - stream->peer_taken >= DATAGRAM_WINDOW)
        return false;
    struct piece *const piece = &stream->out[stream->next % DATAGRAM_WINDOW];
    piece->length = (uint32_t)bytes;
    if (bytes > 0)
        memcpy(piece->data, data, bytes);
    if (stream->next == stream->acknowledged)
        stream->sent_ns = moment_now();
    datagrams_send_piece(datagrams, to, stream->next++, false);
    return true;
}

bool datagrams_get(struct datagrams *datagrams, int from, char *data, size_t bytes)
{
    struct datagram_stream *const stream = datagrams_stream(datagrams, from);
    if (stream == NULL || stream->received == stream->taken)
        return false;
    if (bytes > 0)
        memcpy(data, stream->in[stream->taken % DATAGRAM_WINDOW].data, bytes);
    stream->taken++;
    if (stream->taken - stream->reported_taken >= DATAGRAM_WINDOW / 2)
        datagrams_send_state(datagrams, from, false);
    return true;
}

/* Return true if a number that a peer sent is one that counts, and not older than the last one. */
static bool datagrams_advances(uint32_t last, uint32_t number, uint32_t limit)
{
    return number - last <= limit - last;
}

static void datagrams_accept(struct datagrams *datagrams, const struct datagram *datagram, size_t bytes,
                             const struct sockaddr_in *source)
{
    struct datagram_stream *const stream = datagrams_stream(datagrams, (int)datagram->source);
    const bool has_piece = datagram->length != DATAGRAM_NO_DATA;
    if (stream == NULL || (has_piece && datagram->length != bytes))
        return;
    stream->answered = true;
    stream->address = *source;
    if (datagrams_advances(stream->acknowledged, datagram->received, stream->next) &&
        datagram->received != stream->acknowledged) {
        stream->acknowledged = datagram->received;
        stream->patience_ns = DATAGRAM_PATIENCE_NS;
        stream->sent_ns = moment_now();
    }
    if (datagrams_advances(stream->peer_taken, datagram->taken, stream->acknowledged))
        stream->peer_taken = datagram->taken;
    stream->owes_answer = stream->owes_answer || has_piece || datagram->wants_answer;
    if (!has_piece || datagram->number != stream->received || stream->received - stream->taken >= DATAGRAM_WINDOW)
        return;
    struct piece *const piece = &stream->in[stream->received % DATAGRAM_WINDOW];
    piece->length = datagram->length;
    memcpy(piece->data, datagram->data, bytes);
    stream->received++;
}

/* Wait for the peer no longer: retransmit, or ask whether it has room; by another address while it has never answered.
 */
static void datagrams_retransmit(struct datagrams *datagrams, int to)
{
    struct datagram_stream *const stream = datagrams->streams[to];
    const uint32_t *const addresses = datagrams->peers[to].addresses;
    stream->tried = (stream->tried + 1) % DATAGRAM_ADDRESSES;
    if (addresses[stream->tried] == 0)
        stream->tried = 0;
    if (!stream->answered)
        stream->address.sin_addr.s_addr = addresses[stream->tried];
    if (stream->acknowledged == stream->next)
        datagrams_send_state(datagrams, to, true);
    for (uint32_t i = 0; i < DATAGRAM_AGAIN && stream->acknowledged + i != stream->next; i++)
        datagrams_send_piece(datagrams, to, stream->acknowledged + i, true);
    stream->sent_ns = moment_now();
    stream->patience_ns =
        2 * stream->patience_ns < DATAGRAM_MAX_PATIENCE_NS ? 2 * stream->patience_ns : DATAGRAM_MAX_PATIENCE_NS;
}

void datagrams_progress(struct datagrams *datagrams)
{
    struct datagram datagram;
    struct sockaddr_in source;
    socklen_t source_length = sizeof source;
    ssize_t length = 0;
    while ((length = recvfrom(datagrams->socket, &datagram, sizeof datagram, 0, (struct sockaddr *)(void *)&source,
                              &source_length)) >= 0 ||
           errno == EINTR)
        if (length >= DATAGRAM_HEAD && datagram.key == datagrams->key && datagram.source < (uint32_t)datagrams->size)
            datagrams_accept(datagrams, &datagram, (size_t)length - DATAGRAM_HEAD, &source);
    const int64_t now_ns = moment_now();
    for (int i = 0; i < datagrams->used_count; i++) {
        const int rank = datagrams->used[i];
        const struct datagram_stream *const stream = datagrams->streams[rank];
        if (stream->owes_answer)
            datagrams_send_state(datagrams, rank, false);
        /* What was received but not taken limits the next pieces: ask, in case the answer was lost. */
        if ((stream->acknowledged != stream->next || stream->next - stream->peer_taken >= DATAGRAM_WINDOW) &&
            now_ns - stream->sent_ns > stream->patience_ns)
            datagrams_retransmit(datagrams, rank);
    }
}

bool datagrams_acknowledged(const struct datagrams *datagrams)
{
    for (int i = 0; i < datagrams->used_count; i++) {
        const struct datagram_stream *const stream = datagrams->streams[datagrams->used[i]];
        if (stream->acknowledged != stream->next)
            return false;
    }
    return true;
}
