/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table.c: adding a call to its class. Classes are slots of a table with open addressing; a slot is taken by an
 * exchange of its key and never given back, and its counters are added to atomically, so that threads need no lock.
 *
 * Sizes are exact for the first MOST_EXACT classes of an operation, then binned by powers of two. The first slots are
 * the operations' own, for calls that find no other: so none is lost in a full table either.
 */
#include "profile.h"

enum { MOST_EXACT = 64, MOST_TRIES = 256, BIN_SHIFT = 55, ELEMENT_SHIFT = 52, PROCESSES_SHIFT = 32 };

#define MOST_PROCESSES 0xFFFFFu
#define MOST_BYTES 0xFFFFFFFFu

static _Atomic uint32_t exact[PROFILE_COUNT];

static uint64_t key_of(enum profile_operation operation, int bin, uint32_t element, uint32_t processes, uint64_t size)
{
    return (uint64_t)operation << (BIN_SHIFT + 1) | (uint64_t)bin << BIN_SHIFT | (uint64_t)element << ELEMENT_SHIFT |
           (uint64_t)processes << PROCESSES_SHIFT | size;
}

/* The slot of a key; NULL where it has none and should get none, or there is none left. */
static struct profile_slot *slot_of(uint64_t key, int insert)
{
    uint64_t place = (key * UINT64_C(0x9E3779B97F4A7C15)) >> 32;
    for (int tries = 0; tries < MOST_TRIES; tries++, place++) {
        struct profile_slot *const slot = &profile.slots[PROFILE_COUNT + place % (PROFILE_SLOTS - PROFILE_COUNT)];
        uint64_t found = atomic_load_explicit(&slot->key, memory_order_relaxed);
        if (found == 0 && !insert) {
            return NULL;
        }
        if (found == key || (found == 0 && (atomic_compare_exchange_strong(&slot->key, &found, key) || found == key))) {
            return slot;
        }
    }
    return NULL;
}

static struct profile_slot *binned(enum profile_operation operation, struct profile_amount amount, uint32_t processes)
{
    const uint64_t bin = amount.bytes ? 63u - (unsigned)__builtin_clzll(amount.bytes) : 0u;
    struct profile_slot *const slot = slot_of(key_of(operation, 1, amount.element, processes, bin), 1);
    if (slot != NULL) {
        return slot;
    }
    struct profile_slot *const own = &profile.slots[operation];
    atomic_store_explicit(&own->key, key_of(operation, 1, 0, 0, PROFILE_ANY), memory_order_relaxed);
    return own;
}

static struct profile_slot *find(enum profile_operation operation, struct profile_amount amount, uint32_t processes)
{
    if (amount.bytes > MOST_BYTES) {
        return binned(operation, amount, processes);
    }
    const uint64_t key = key_of(operation, 0, amount.element, processes, amount.bytes);
    struct profile_slot *slot = slot_of(key, 0);
    if (slot == NULL && atomic_load_explicit(&exact[operation], memory_order_relaxed) < MOST_EXACT) {
        atomic_fetch_add_explicit(&exact[operation], 1, memory_order_relaxed);
        slot = slot_of(key, 1);
    }
    return slot != NULL ? slot : binned(operation, amount, processes);
}

void profile_add(enum profile_operation operation, struct profile_amount amount, int processes, uint64_t ticks)
{
    const uint32_t of = processes < 0                          ? 0u
                        : (uint32_t)processes > MOST_PROCESSES ? MOST_PROCESSES
                                                               : (uint32_t)processes;
    struct profile_slot *const slot = find(operation, amount, of);
    if ((int64_t)ticks < 0) { /* another processor, whose ticks are behind */
        ticks = 0;
    }
    atomic_fetch_add_explicit(&slot->calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&slot->ticks, ticks, memory_order_relaxed);
    if (amount.bytes) {
        atomic_fetch_add_explicit(&slot->bytes, amount.bytes, memory_order_relaxed);
    }
    uint64_t best = atomic_load_explicit(&slot->speed, memory_order_relaxed);
    while (best < ~ticks && !atomic_compare_exchange_weak(&slot->speed, &best, ~ticks)) {
    }
}
