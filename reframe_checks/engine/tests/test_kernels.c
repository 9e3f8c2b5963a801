/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_kernels.c: every kernel moves the right data, on one node and between nodes, for 1 to 9 processes. Each process
 * is forked and checks what it has; the others are known from their ranks.
 */
#include "candle/kernels.h"
#include "candle/rendezvous.h"
#include "harness.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_PROCESSES = 9, FOR_EVER_S = 100, ALIGNMENT = 64 };
static const int64_t LIMIT_NS = 60 * INT64_C(1000000000);

/* Several cells or datagrams; nothing, bytes, floats, and more than a ring of cells has room for. */
static const size_t SIZES[] = {20002, 8, 0, 103, 150000};
enum { FEW_SIZES = 2, ALL_SIZES = sizeof SIZES / sizeof *SIZES };

/* Write the sum, over the ranks from first to last, of what each has in a block: floats or bytes, without error. */
static void fill_sum(char *block, int first, int last, int number, size_t bytes)
{
    const bool floats = bytes % sizeof(float) == 0;
    for (size_t i = 0; i < (floats ? bytes / sizeof(float) : bytes); i++) {
        int sum = 0;
        for (int rank = first; rank <= last; rank++)
            sum += floats ? 10 * rank + 100 * number + (int)(i % 50) : (rank + number + (int)i) % 5;
        const float value = (float)sum;
        if (floats)
            memcpy(block + i * sizeof value, &value, sizeof value);
        else
            block[i] = (char)sum;
    }
}

static void fill(char *block, int rank, int number, size_t bytes)
{
    fill_sum(block, rank, rank, number, bytes);
}

/* A process with its expected block. */
struct check {
    int rank, size;
    size_t bytes;
    const char *out;
    char *expected;
};

static bool has(const struct check *check, int block)
{
    return check->bytes == 0 || memcmp(check->out + (size_t)block * check->bytes, check->expected, check->bytes) == 0;
}

/* Return true if that block of out is that block of a rank. */
static bool has_block_of(const struct check *check, int block, int rank, int number)
{
    fill(check->expected, rank, number, check->bytes);
    return has(check, block);
}

static bool has_sum(const struct check *check, int block, int ranks, int number)
{
    fill_sum(check->expected, 0, ranks - 1, number, check->bytes);
    return has(check, block);
}

/* Return true if out has a block of each rank, in their order: the first one, or that for this process. */
static bool has_blocks_of_all(const struct check *check, bool for_this)
{
    bool right = true;
    for (int rank = 0; rank < check->size; rank++)
        right = right && has_block_of(check, rank, rank, for_this ? check->rank : 0);
    return right;
}

static bool has_grid(const struct check *check)
{
    static const int COLUMNS[MAX_PROCESSES + 1] = {0, 1, 1, 1, 2, 1, 2, 1, 2, 3};
    const int columns = COLUMNS[check->size], row = check->rank / columns, column = check->rank % columns;
    const int rows = check->size / columns;
    return has_block_of(check, 0, (row + rows - 1) % rows * columns + column, 0) &&
           has_block_of(check, 1, (row + 1) % rows * columns + column, 1) &&
           has_block_of(check, 2, row * columns + (column + columns - 1) % columns, 2) &&
           has_block_of(check, 3, row * columns + (column + 1) % columns, 3);
}

static bool has_pair(const struct check *check, bool all)
{
    const int partner = check->rank ^ 1;
    return partner >= check->size || (!all && check->rank > 1) || has_block_of(check, 0, partner, 0);
}

/* What each process has after a kernel. */
static bool is_right(enum kernel kernel, const struct check *check)
{
    const int rank = check->rank, size = check->size;
    const int previous = (rank + size - 1) % size, next = (rank + 1) % size;
    switch (kernel) {
    case KERNEL_BCAST:
        return rank == 0 || has_block_of(check, 0, 0, 0);
    case KERNEL_GATHER:
        return rank > 0 || has_blocks_of_all(check, false);
    case KERNEL_SCATTER:
        return has_block_of(check, 0, 0, rank);
    case KERNEL_REDUCE:
        return rank > 0 || has_sum(check, 0, size, 0);
    case KERNEL_ALLREDUCE:
        return has_sum(check, 0, size, 0);
    case KERNEL_REDUCE_SCATTER:
        return has_sum(check, rank, size, rank);
    case KERNEL_ALLGATHER:
        return has_blocks_of_all(check, false);
    case KERNEL_ALLTOALL:
        return has_blocks_of_all(check, true);
    case KERNEL_SCAN:
        return has_sum(check, 0, rank + 1, 0);
    case KERNEL_ONE_WAY:
        return rank != 1 || has_block_of(check, 0, 0, 0);
    case KERNEL_ONE_WAY_ALL:
        return rank % 2 == 0 || has_block_of(check, 0, rank - 1, 0);
    case KERNEL_FAN_IN:
        return rank > 0 || size == 1 || has_block_of(check, 0, size - 1, 0);
    case KERNEL_FAN_OUT:
        return rank == 0 || has_block_of(check, 0, 0, 0);
    case KERNEL_PING_PONG:
    case KERNEL_PING_PING:
        return has_pair(check, false);
    case KERNEL_PING_PONG_ALL:
    case KERNEL_PING_PING_ALL:
        return has_pair(check, true);
    case KERNEL_CHAIN:
        return has_block_of(check, 0, previous, 0);
    case KERNEL_NEIGHBOURS:
        return has_block_of(check, 0, previous, 0) && has_block_of(check, 1, next, 1);
    case KERNEL_STAR:
        return size == 1 || has_block_of(check, 0, rank == 0 ? size - 1 : 0, 0);
    case KERNEL_GRID:
        return has_grid(check);
    case KERNEL_NOTHING:
    case KERNEL_BARRIER:
    case KERNELS:
        return true;
    }
    return false;
}

/* Perform a kernel and check all blocks. */
static bool perform(enum kernel kernel, struct link *link, size_t bytes)
{
    const size_t used = kernels_bytes(kernel, link->size, bytes);
    const size_t capacity = (used / ALIGNMENT + 1) * ALIGNMENT;
    const int blocks = bytes == 0 ? 0 : (int)(used / bytes);
    char *const memory = calloc(4, capacity);
    const struct kernel_buffers buffers = {memory, memory + capacity, memory + 2 * capacity};
    const struct check check = {link->rank, link->size, bytes, buffers.out, memory + 3 * capacity};
    for (int block = 0; block < blocks; block++)
        fill(buffers.in + (size_t)block * bytes, link->rank, block, bytes);
    memset(buffers.out, 77, capacity);
    kernels_perform(kernel, link, &buffers, bytes);
    bool right = link->fault.code == FAULT_NONE && is_right(kernel, &check);
    for (int block = 0; block < blocks; block++) {
        const struct check unchanged = {link->rank, link->size, bytes, buffers.in, check.expected};
        right = right && has_block_of(&unchanged, block, link->rank, block);
    }
    free(memory);
    return right;
}

/* The largest value and a broadcast, by which a slice is agreed. */
static bool agree(struct link *link)
{
    int64_t values[2] = {link->rank, -link->rank}, work[2] = {0};
    kernels_maximum(link, values, work, 2);
    collective_broadcast(link, values, sizeof values);
    return values[0] == link->size - 1 && values[1] == 0;
}

/* A process; the exit code is the number of kernels that were wrong. */
static int live(struct place place, const struct rendezvous_options *options, size_t size_count)
{
    struct rendezvous rendezvous;
    struct fault fault = {0};
    int wrong = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(FOR_EVER_S);
    if (rendezvous_open(&rendezvous, &place, options, &fault) == 0) {
        for (enum kernel kernel = KERNEL_NOTHING; kernel < KERNELS; kernel++)
            for (size_t i = 0; i < size_count; i++)
                wrong += !perform(kernel, &rendezvous.link, SIZES[i]);
        wrong += !agree(&rendezvous.link);
        collective_barrier(&rendezvous.link);
        link_flush(&rendezvous.link);
    }
    rendezvous_close(&rendezvous);
    return fault.code != FAULT_NONE ? 100 + (int)fault.code : wrong;
}

/* Return the number of processes that had anything wrong. */
static int meet(int size, const struct rendezvous_options *options, size_t size_count)
{
    const uint64_t key = (uint64_t)getpid() << 20 | (uint64_t)(size << 8 | options->test_nodes);
    pid_t processes[MAX_PROCESSES];
    int wrong = 0;
    fflush(stdout);
    for (int rank = 0; rank < size; rank++)
        if ((processes[rank] = fork()) == 0)
            _exit(live((struct place){rank, size, key}, options, size_count));
    for (int ended = 0; ended < size; ended++) {
        int status = 0;
        const pid_t process = wait(&status);
        for (int rank = 0; rank < size; rank++)
            if (processes[rank] == process)
                processes[rank] = 0;
            else if (status != 0 && wrong == 0 && processes[rank] != 0)
                kill(processes[rank], SIGKILL); /* the others would wait for that one */
        wrong += status != 0;
    }
    return wrong;
}

static int meet_on_nodes(int size, int nodes, double lost)
{
    char folder[] = "/tmp/isochron-kernels-XXXXXX";
    const struct rendezvous_options options = {mkdtemp(folder), LIMIT_NS, nodes, lost};
    const int wrong = meet(size, &options, FEW_SIZES);
    return wrong + (rmdir(folder) != 0); /* the files of the nodes are gone */
}

static void test_kernels(struct harness *h)
{
    const struct rendezvous_options here = {NULL, LIMIT_NS, 0, 0};
    harness_case(h, "every kernel moves the right data between 1 to 9 processes of a node");
    for (int size = 1; size <= MAX_PROCESSES; size++)
        harness_is(h, meet(size, &here, size == 3 ? ALL_SIZES : FEW_SIZES) == 0);
    harness_case(h, "every kernel moves the right data between two nodes");
    harness_is(h, meet_on_nodes(2, 2, 0) == 0);
    harness_is(h, meet_on_nodes(5, 2, 0) == 0);
    harness_case(h, "every kernel moves the right data between three nodes that lose datagrams");
    harness_is(h, meet_on_nodes(3, 3, 0.05) == 0);
}

int main(void)
{
    struct harness harness = {0};
    test_kernels(&harness);
    return harness_end(&harness, "test_kernels");
}
