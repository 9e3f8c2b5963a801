/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * file.c: the file of this process, `rank-<n>.isoprof` in the folder that ISOCHRON_PROFILE names, which must exist. It
 * is all that is written. A program whose file cannot be made runs on, uncounted, and says so in one line.
 *
 * The disk space is taken before the file is mapped: a disk that is full later cannot end the program.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profile.h"

_Static_assert(sizeof(struct profile_header) <= PROFILE_HEADER_BYTES, "the header has grown beyond its place");
_Static_assert(sizeof(struct profile_slot) == 64, "a slot is a cache line");
_Static_assert((int)PROFILE_COUNT <= (int)PROFILE_NAMES, "more operations than there are places for names");

enum { PATH_LENGTH = 4096, TABLE_BYTES = PROFILE_SLOTS * sizeof(struct profile_slot) };

struct profile_state profile;
_Thread_local int profile_inside;

#define NAMED(name, word) [PROFILE_##name] = (word),
#define NAMED_I(name, word) [PROFILE_I##name] = "i" word,
static const char *const NAMES[PROFILE_COUNT] = {PROFILE_COLLECTIVES(NAMED) PROFILE_COLLECTIVES(NAMED_I)
                                                     PROFILE_OTHERS(NAMED)};

/* CRC-32 as in zlib, half a byte at a time. */
static uint32_t crc_of(const void *bytes, size_t count)
{
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    const unsigned char *const data = bytes;
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < count; i++) {
        crc = table[(crc ^ data[i]) & 15] ^ crc >> 4;
        crc = table[(crc ^ data[i] >> 4) & 15] ^ crc >> 4;
    }
    return ~crc;
}

static void say(const char *path, const char *why)
{
    fprintf(stderr, "isochron profile: %s: %s; this process is not counted\n", path, why);
}

/* The open file with its space taken, or -1. */
static int made(const char *path)
{
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0) {
        say(path, errno == EEXIST ? "is there already: give each launch a folder of its own" : strerror(errno));
        return -1;
    }
    const int error = posix_fallocate(file, 0, PROFILE_HEADER_BYTES + TABLE_BYTES);
    if (error != 0) {
        say(path, strerror(error));
        (void)unlink(path);
        (void)close(file);
        return -1;
    }
    return file;
}

static void fill(struct profile_header *header, const struct profile_facts *facts)
{
    header->facts = *facts;
    struct profile_facts *const own = &header->facts;
    own->version = PROFILE_VERSION;
    own->header_bytes = PROFILE_HEADER_BYTES;
    own->slots = PROFILE_SLOTS;
    own->slot_bytes = sizeof(struct profile_slot);
    own->operations = PROFILE_COUNT;
    own->pid = (uint64_t)getpid();
    (void)gethostname(own->host, sizeof own->host - 1);
    (void)snprintf(own->program, sizeof own->program, "%s", program_invocation_short_name);
    for (int i = 1; i < PROFILE_COUNT; i++) {
        (void)snprintf(own->names[i], PROFILE_NAME_BYTES, "%s", NAMES[i]);
    }
    header->facts_crc = crc_of(own, sizeof *own);
    atomic_thread_fence(memory_order_seq_cst);
    memcpy(header->magic, "ISOPROF\n", sizeof header->magic);
}

void profile_open(const struct profile_facts *facts)
{
    const char *const folder = getenv("ISOCHRON_PROFILE");
    char path[PATH_LENGTH];
    if (folder == NULL || folder[0] == '\0') {
        say("ISOCHRON_PROFILE", "is not set: name an empty folder");
        return;
    }
    if (snprintf(path, sizeof path, "%s/rank-%d.isoprof", folder, facts->rank) >= PATH_LENGTH) {
        say(folder, "is too long a name");
        return;
    }
    const int file = made(path);
    if (file < 0) {
        return;
    }
    char *const memory = mmap(NULL, PROFILE_HEADER_BYTES + TABLE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    const int error = errno;
    (void)close(file);
    if (memory == MAP_FAILED) {
        say(path, strerror(error));
        (void)unlink(path);
        return;
    }
    fill((struct profile_header *)memory, facts);
    profile.slots = (struct profile_slot *)(memory + PROFILE_HEADER_BYTES);
    profile.header = (struct profile_header *)memory;
}

void profile_close(void)
{
    if (profile.header == NULL) {
        return;
    }
    struct profile_end *const end = &profile.header->end;
    end->ticks = profile_now();
    end->ns = clock_ns();
    profile.header = NULL; /* the memory stays mapped: whoever counts now would otherwise fall */
    end->table_crc = crc_of(profile.slots, TABLE_BYTES);
    atomic_thread_fence(memory_order_seq_cst);
    end->finished = 1;
}
