/* SPDX-License-Identifier: BSD-3-Clause */
/* check.c: known data for --check (see check.h). */
#include "call/check.h"

#include "call/threads.h"
#include "machine/team.h"
#include "operation/operation.h"

#include <string.h>

enum {
    CHECK_UNTOUCHED = 0xA5,
    CHECK_PERIOD = 6, /* of the numbers to be reduced */
    CHECK_ROW = 251,  /* bytes of a message that count up by 7 */
    CHECK_PIECE = 4096
};

/* Byte 0 of a message. */
static unsigned char check_first_byte(int source, int destination, int message)
{
    return (unsigned char)(31 * source + 17 * destination + 13 * message + 1);
}

/* Write bytes of a message, from byte i on. */
static void check_write(unsigned char *bytes, int64_t length, unsigned char first, int64_t i)
{
    while (length > 0) {
        const int64_t row = i / CHECK_ROW, column = i % CHECK_ROW;
        const int64_t count = length < CHECK_ROW - column ? length : CHECK_ROW - column;
        const unsigned char begin = (unsigned char)(first + row + 7 * column);
        for (int64_t k = 0; k < count; k++)
            bytes[k] = (unsigned char)(begin + 7 * k);
        bytes += count;
        i += count;
        length -= count;
    }
}

static int64_t check_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Return which message a block is, from 0 on, of all messages of a burst and of all threads to one process. */
static int check_message(const struct call *call, bool sent, const struct call_block *block)
{
    const int of_thread = block->index / ((sent ? &call->sent : &call->received)->blocks / call->burst);
    return call->thread * call->burst + of_thread;
}

static int64_t check_number(const struct call *call, int rank, int64_t i)
{
    if (call->reduction == MPI_PROD)
        return (rank + call->thread + i) % 2 == 0 ? 1 : -1;
    return (rank + call->thread + i) % 3 + 1;
}

/* One element of the call's type. */
static void check_encode(const struct call *call, void *element, int64_t number)
{
    const float single = (float)number;
    const double twofold = (double)number;
    const int integer = (int)number;
    const signed char character = (signed char)number;
    const void *source = &character;
    if (call->type == MPI_FLOAT)
        source = &single;
    else if (call->type == MPI_DOUBLE)
        source = &twofold;
    else if (call->type == MPI_INT)
        source = &integer;
    memcpy(element, source, (size_t)call->element.size);
}

static double check_decode(const struct call *call, const void *element)
{
    float single;
    double twofold;
    int integer;
    if (call->type == MPI_FLOAT)
        return (double)*(float *)memcpy(&single, element, sizeof single);
    if (call->type == MPI_DOUBLE)
        return *(double *)memcpy(&twofold, element, sizeof twofold);
    if (call->type == MPI_INT)
        return *(int *)memcpy(&integer, element, sizeof integer);
    return *(const signed char *)element;
}

static int64_t check_combine(const struct call *call, int64_t a, int64_t b)
{
    if (call->reduction == MPI_MAX)
        return a > b ? a : b;
    if (call->reduction == MPI_MIN)
        return a < b ? a : b;
    return call->reduction == MPI_PROD ? a * b : a + b;
}

/* Return element i, reduced over the ranks of the operation, or fetched. */
static int64_t check_reduced(const struct call *call, int64_t i)
{
    const enum operation_reduction over = call->operation->reduces;
    if (call->rma.origin && call->received.blocks > 0) /* what the target had before */
        return check_number(call, call->received.peers[0], i);
    const int ranks = over == REDUCES_ALL ? call->size : call->rank + (over == REDUCES_UP_TO_RANK);
    int64_t number = check_number(call, 0, i);
    for (int rank = 1; rank < ranks; rank++)
        number = check_combine(call, number, check_number(call, rank, i));
    return number;
}

static void check_fill_block(const struct call *call, char *buffer, const struct call_block *block)
{
    const struct element *const element = &call->element;
    char *const memory = buffer + block->first * element->extent;
    if (call->operation->reduces != REDUCES_NOTHING) {
        for (int64_t i = 0; i < block->elements; i++)
            check_encode(call, memory + i * element->size, check_number(call, call->rank, block->first + i));
        return;
    }
    const int destination = call->operation->sends == SHARE_BLOCK ? 0 : block->peer;
    const unsigned char first = check_first_byte(call->rank, destination, check_message(call, true, block));
    const int64_t bytes = block->elements * element->size;
    for (int64_t i = 0, run = 0; i < bytes; i += run) {
        const int64_t offset = element_offset(element, i, &run);
        run = check_least(run, bytes - i);
        check_write((unsigned char *)memory + offset, run, first, i);
    }
}

static void check_fill_call(const struct call *call)
{
    if (call->output != NULL)
        memset(call->output, CHECK_UNTOUCHED, call->recv_bytes);
    for (struct call_block block = {.index = -1}; call_takes_part(call, true) && call_next_block(call, true, &block);)
        check_fill_block(call, call->input, &block);
    const bool updated = call->operation->updates && call->rma.target;
    for (struct call_block block = {.index = -1}; updated && call_next_block(call, false, &block);)
        check_fill_block(call, call->output, &block);
}

void check_fill(const struct call *call)
{
    for (int i = 0; i < threads_count(call); i++)
        check_fill_call(threads_call(call, i));
}

static void check_moved(const struct call *call, const struct call_block *block, struct check *check)
{
    const struct element *const element = &call->element;
    const unsigned char *const memory = (const unsigned char *)call->output + block->first * element->extent;
    const int destination = call->operation->sends == SHARE_BLOCK ? 0 : call->rank;
    const unsigned char first = check_first_byte(block->peer, destination, check_message(call, false, block));
    const int64_t bytes = block->elements * element->size;
    unsigned char expected[CHECK_PIECE];
    for (int64_t i = 0, run = 0; i < bytes; i += run) {
        const unsigned char *const actual = memory + element_offset(element, i, &run);
        run = check_least(check_least(run, bytes - i), CHECK_PIECE);
        check_write(expected, run, first, i);
        if (memcmp(actual, expected, (size_t)run) == 0)
            continue;
        int64_t k = 0;
        while (actual[k] == expected[k])
            k++;
        *check = (struct check){true, call->rank, block->first + (i + k) / element->size, expected[k], actual[k]};
        return;
    }
}

/* Return the index in the sent vector of the block that becomes this process's result. */
static int64_t check_first_reduced(const struct call *call)
{
    struct call_block block = {.index = -1};
    if (call->operation->sends == SHARE_EACH)
        while (call_next_block(call, true, &block) && block.peer != call->rank)
            continue;
    return block.first;
}

static void check_numbers(const struct call *call, const struct call_block *block, struct check *check)
{
    const int size = call->element.size;
    const int64_t first = check_first_reduced(call);
    char expected_elements[CHECK_PERIOD][sizeof(double)];
    for (int64_t i = 0; i < CHECK_PERIOD; i++)
        check_encode(call, expected_elements[i], check_reduced(call, first + i));
    for (int64_t i = 0; i < block->elements; i++) {
        const char *const actual = call->output + i * size;
        const char *const expected = expected_elements[i % CHECK_PERIOD];
        if (memcmp(actual, expected, (size_t)size) != 0) {
            *check = (struct check){true, call->rank, i, check_decode(call, expected), check_decode(call, actual)};
            return;
        }
    }
}

/* On rank 0 an exclusive scan leaves the receive buffer unchanged. */
static bool check_has_result(const struct call *call)
{
    return call->output != NULL && !call->idle && call_takes_part(call, false) &&
           !(call->operation->reduces == REDUCES_BELOW_RANK && call->rank == 0);
}

static void check_verify_call(const struct call *call, struct check *check)
{
    for (struct call_block block = {.index = -1}; check_has_result(call) && call_next_block(call, false, &block);) {
        if (check->wrong)
            return;
        if (call->operation->reduces != REDUCES_NOTHING)
            check_numbers(call, &block, check);
        else
            check_moved(call, &block, check);
    }
}

void check_verify(const struct call *call, struct check *check)
{
    for (int i = 0; i < threads_count(call) && !check->wrong; i++) {
        const struct call *const made = threads_call(call, i);
        check_verify_call(made, check);
        if (check->wrong)
            check->element += i * (made->received.bytes / made->element.extent);
    }
}

static void check_corrupt_call(const struct call *call)
{
    for (struct call_block block = {.index = -1}; check_has_result(call) && call_next_block(call, false, &block);) {
        if (block.elements > 0) {
            int64_t run;
            call->output[block.first * call->element.extent + element_offset(&call->element, 0, &run)] ^= 1;
            return;
        }
    }
}

void check_corrupt(const struct call *call)
{
    check_corrupt_call(threads_call(call, threads_count(call) - 1));
}

int check_agree(const struct team *team, struct check *check, struct fault *fault)
{
    int rank = 0;
    MPI_Comm_rank(team->measured, &rank);
    /* The largest value is from the lowest rank with an error, and identifies its process. */
    int64_t first = check->wrong ? (int64_t)(team->size - rank) * team->size + team->rank : 0;
    if (team_maximum(team, &first, 1, MPI_INT64_T, fault) || first == 0)
        return (int)fault->code;
    const int finder = (int)(first % team->size);
    double values[3] = {(double)check->element, check->expected, check->actual};
    if (finder != 0 && team->rank == finder && team_send(team, values, 3, MPI_DOUBLE, 0, TEAM_TAG_COMPARISON, fault))
        return (int)fault->code;
    if (finder != 0 && team->rank == 0 && team_receive(team, values, 3, MPI_DOUBLE, finder, TEAM_TAG_COMPARISON, fault))
        return (int)fault->code;
    *check = (struct check){true, team->size - (int)(first / team->size), (int64_t)values[0], values[1], values[2]};
    return 0;
}
