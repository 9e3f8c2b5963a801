/* SPDX-License-Identifier: BSD-3-Clause
 *
 * link DELAY_US RATE_MBIT TAP_A TAP_B: a wide-area link between two new tap interfaces.
 *
 * A frame that comes in at one end leaves at the other after its time on the wire (length / rate, one frame after
 * another) and DELAY_US. Up to QUEUE_US of frames wait for the wire; what comes then is dropped, as a router drops
 * it. Prints "ready" when both interfaces are there. Kernels of virtual machines often lack netem, which would do
 * the same.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { FRAMES = 16384, FRAME_BYTES = 2048, QUEUE_US = 30000 };

typedef struct {
    unsigned char bytes[FRAME_BYTES];
    ssize_t length;
    int64_t due_ns;
} frame;

/* One direction: a ring of frames on their way. */
typedef struct {
    int from, to;
    unsigned first, count;
    int64_t wire_free_ns;
    frame *frames;
} direction;

typedef struct {
    int64_t delay_ns;
    double ns_per_byte;
} line;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int open_tap(const char *name)
{
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    int tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
    strncpy(request.ifr_name, name, sizeof request.ifr_name - 1);
    if (tap < 0 || ioctl(tap, TUNSETIFF, &request) < 0) {
        perror(name);
        exit(1);
    }
    return tap;
}

static void deliver_due(direction *way, int64_t now)
{
    while (way->count > 0 && way->frames[way->first].due_ns <= now) {
        frame *next = &way->frames[way->first];
        if (write(way->to, next->bytes, (size_t)next->length) < 0) {
            /* the other end is down: the frame is lost, as on a real line */
        }
        way->first = (way->first + 1) % FRAMES;
        way->count--;
    }
}

static void take_in(direction *way, const line *wire)
{
    frame spare;
    for (;;) {
        bool full = way->count == FRAMES;
        frame *next = full ? &spare : &way->frames[(way->first + way->count) % FRAMES];
        next->length = read(way->from, next->bytes, sizeof next->bytes);
        if (next->length <= 0)
            return;
        int64_t now = now_ns();
        if (way->wire_free_ns < now)
            way->wire_free_ns = now;
        if (full || way->wire_free_ns - now > QUEUE_US * INT64_C(1000))
            continue;
        way->wire_free_ns += (int64_t)((double)next->length * wire->ns_per_byte);
        next->due_ns = way->wire_free_ns + wire->delay_ns;
        way->count++;
    }
}

static void wait_for_work(const direction ways[2])
{
    struct pollfd ends[2] = {{.fd = ways[0].from, .events = POLLIN}, {.fd = ways[1].from, .events = POLLIN}};
    int64_t due = INT64_MAX;
    for (int i = 0; i < 2; i++)
        if (ways[i].count > 0 && ways[i].frames[ways[i].first].due_ns < due)
            due = ways[i].frames[ways[i].first].due_ns;
    if (due == INT64_MAX) {
        ppoll(ends, 2, NULL, NULL);
        return;
    }
    int64_t left = due - now_ns();
    if (left > 0) {
        struct timespec patience = {left / 1000000000, left % 1000000000};
        ppoll(ends, 2, &patience, NULL);
    }
}

int main(int count, char **words)
{
    if (count != 5) {
        fprintf(stderr, "usage: link DELAY_US RATE_MBIT TAP_A TAP_B\n");
        return 2;
    }
    line wire = {.delay_ns = (int64_t)(atof(words[1]) * 1e3), .ns_per_byte = 8e3 / atof(words[2])};
    int a = open_tap(words[3]), b = open_tap(words[4]);
    direction ways[2] = {{.from = a, .to = b}, {.from = b, .to = a}};
    for (int i = 0; i < 2; i++) {
        ways[i].frames = calloc(FRAMES, sizeof *ways[i].frames);
        if (ways[i].frames == NULL)
            return 1;
    }
    prctl(PR_SET_TIMERSLACK, 1);
    puts("ready");
    fflush(stdout);
    for (;;) {
        wait_for_work(ways);
        for (int i = 0; i < 2; i++) {
            deliver_due(&ways[i], now_ns());
            take_in(&ways[i], &wire);
        }
    }
}
