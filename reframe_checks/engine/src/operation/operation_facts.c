/* SPDX-License-Identifier: BSD-3-Clause */
/* operation_facts.c: the facts of an operation, one line each (see operation_facts.h). */
#include "operation/operation_facts.h"

#include <string.h>

static struct fact operation_name(const struct operation *operation)
{
    return fact_word(operation->name);
}

static struct fact operation_group(const struct operation *operation)
{
    return fact_word(operation->group);
}

static struct fact operation_shape(const struct operation *operation)
{
    static const char *const words[] = {
        [OPERATION_NO_DATA] = "no-data", [OPERATION_VECTOR] = "vector", [OPERATION_BLOCKS] = "blocks"};
    return fact_word(words[operation->shape]);
}

static const char *operation_share_word(enum operation_share share)
{
    static const char *const words[] = {
        [SHARE_NOTHING] = "nothing", [SHARE_BLOCK] = "block", [SHARE_EACH] = "each", [SHARE_PEERS] = "peers"};
    return words[share];
}

static struct fact operation_sends(const struct operation *operation)
{
    return fact_word(operation_share_word(operation->sends));
}

static struct fact operation_receives(const struct operation *operation)
{
    return fact_word(operation_share_word(operation->receives));
}

static struct fact operation_data(const struct operation *operation)
{
    return fact_flag(operation->shape != OPERATION_NO_DATA);
}

static struct fact operation_root(const struct operation *operation)
{
    return fact_flag(operation->root != ROOT_NONE);
}

static struct fact operation_reduces(const struct operation *operation)
{
    return fact_flag(operation->reduces != REDUCES_NOTHING);
}

static struct fact operation_in_place(const struct operation *operation)
{
    return fact_flag(operation->in_place);
}

static struct fact operation_large_counts(const struct operation *operation)
{
    return fact_flag(operation->forms != NULL || operation->sends == SHARE_NOTHING);
}

static struct fact operation_persistent(const struct operation *operation)
{
    return fact_flag(operation->form == FORM_PERSISTENT || operation->setup != NULL);
}

/* Whether nothing but its own call is needed: no communicator, no request and no message before it. */
static struct fact operation_unprepared(const struct operation *operation)
{
    return fact_flag(operation->prepare == NULL && operation->setup == NULL && operation->ready == NULL &&
                     operation->form != FORM_PERSISTENT);
}

static struct fact operation_overlaps(const struct operation *operation)
{
    return fact_flag(operation->form == FORM_NONBLOCKING || operation->form == FORM_PERSISTENT);
}

static struct fact operation_varied(const struct operation *operation)
{
    return fact_flag(operation->varied);
}

static struct fact operation_fixed(const struct operation *operation)
{
    return fact_flag(operation->fixed_count > 0);
}

static struct fact operation_known_time(const struct operation *operation)
{
    return fact_flag(operation->known_time);
}

static struct fact operation_hidden(const struct operation *operation)
{
    return fact_flag(operation->hidden);
}

static struct fact operation_plain_sends(const struct operation *operation)
{
    return fact_flag(operation->plain_sends);
}

static struct fact operation_moved(const struct operation *operation)
{
    return fact_integer(operation->moved);
}

/* Messages need a partner; a collective makes do with one process. */
static struct fact operation_needs_processes(const struct operation *operation)
{
    return fact_integer(operation->sends == SHARE_PEERS && operation->prepare == NULL ? 2 : 1);
}

static const struct {
    const char *name;
    struct fact (*of)(const struct operation *operation);
} OPERATION_FACTS[] = {
    {"name", operation_name},
    {"group", operation_group},
    {"shape", operation_shape},
    {"sends", operation_sends},
    {"receives", operation_receives},
    {"data", operation_data},
    {"root", operation_root},
    {"reduces", operation_reduces},
    {"in_place", operation_in_place},
    {"large_counts", operation_large_counts},
    {"persistent", operation_persistent},
    {"unprepared", operation_unprepared},
    {"overlaps", operation_overlaps},
    {"varied", operation_varied},
    {"fixed", operation_fixed},
    {"known_time", operation_known_time},
    {"hidden", operation_hidden},
    {"plain_sends", operation_plain_sends},
    {"moved", operation_moved},
    {"needs_processes", operation_needs_processes},
};

enum { OPERATION_FACT_COUNT = sizeof OPERATION_FACTS / sizeof OPERATION_FACTS[0] };

struct fact operation_fact(const struct operation *operation, const char *name)
{
    for (size_t i = 0; i < OPERATION_FACT_COUNT; i++)
        if (strcmp(OPERATION_FACTS[i].name, name) == 0)
            return OPERATION_FACTS[i].of(operation);
    return fact_unknown();
}

const char *operation_fact_name(size_t i)
{
    return i < OPERATION_FACT_COUNT ? OPERATION_FACTS[i].name : NULL;
}
