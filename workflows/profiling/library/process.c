/* SPDX-License-Identifier: BSD-3-Clause */
/* process.c: MPI_Init and MPI_Finalize. Counting begins after the one and ends after the other. */
#include "process.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <time.h>

#include "wrap.h"

WEAK(PMPI_Init)
WEAK(PMPI_Init_thread)
WEAK(PMPI_Finalize)
WEAK(PMPI_Query_thread)
WEAK(PMPI_Get_library_version)
#if defined(OPEN_MPI) /* where MPI_COMM_WORLD is the address of a variable */
WEAK(ompi_mpi_comm_world)
#endif

enum { MOST_LIBRARIES = 16 };

struct libraries {
    const char *names[MOST_LIBRARIES];
    int count;
};

static int note_library(struct dl_phdr_info *info, size_t bytes, void *noted)
{
    struct libraries *const found = noted;
    const char *const slash = strrchr(info->dlpi_name, '/');
    (void)bytes;
    if (found->count < MOST_LIBRARIES && strncmp(slash ? slash + 1 : info->dlpi_name, "libmpi", 6) == 0) {
        found->names[found->count++] = info->dlpi_name;
    }
    return 0;
}

/* A program may have its MPI library by a module that it loaded for itself (Python does): we must find its names, too.
 */
static void share_library(void)
{
    struct libraries found = {.count = 0};
    (void)dl_iterate_phdr(note_library, &found);
    for (int i = 0; i < found.count; i++) {
        (void)dlopen(found.names[i], RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    }
}

struct profile_facts process_before(void)
{
    struct profile_facts facts;
    struct timespec now;
    share_library();
    memset(&facts, 0, sizeof facts);
    profile.invariant = clock_is_invariant();
    (void)clock_gettime(CLOCK_REALTIME, &now);
    facts.wall_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    facts.begin_ns = clock_ns();
    facts.begin_ticks = profile_now();
    return facts;
}

void process_begins(struct profile_facts facts)
{
    static char library[MPI_MAX_LIBRARY_VERSION_STRING + 1];
    int length = 0;
    facts.ready_ns = clock_ns();
    facts.ready_ticks = profile_now();
    (void)PMPI_Comm_rank(MPI_COMM_WORLD, &facts.rank);
    (void)PMPI_Comm_size(MPI_COMM_WORLD, &facts.processes);
    (void)PMPI_Query_thread(&facts.threads);
    facts.threads -= MPI_THREAD_SINGLE; /* the standard orders the four levels; all libraries count them from 0 */
    (void)PMPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    (void)strncpy(facts.library, library, sizeof facts.library - 1);
    profile_open(&facts);
    if (profile.header != NULL) {
        profile_add(PROFILE_INIT, amount_none(), 0, facts.ready_ticks - facts.begin_ticks);
    }
}

void process_ends(uint64_t begin)
{
    if (profile.header != NULL) {
        profile_add(PROFILE_FINALIZE, amount_none(), 0, profile_now() - begin);
        profile_close();
    }
}

int MPI_Init(int *count, char ***words)
{
    if (profile_inside) {
        return PMPI_Init(count, words);
    }
    profile_inside = 1;
    const struct profile_facts facts = process_before();
    const int code = PMPI_Init(count, words);
    if (code == MPI_SUCCESS) {
        process_begins(facts);
    }
    profile_inside = 0;
    return code;
}

int MPI_Init_thread(int *count, char ***words, int required, int *provided)
{
    if (profile_inside) {
        return PMPI_Init_thread(count, words, required, provided);
    }
    profile_inside = 1;
    const struct profile_facts facts = process_before();
    const int code = PMPI_Init_thread(count, words, required, provided);
    if (code == MPI_SUCCESS) {
        process_begins(facts);
    }
    profile_inside = 0;
    return code;
}

int MPI_Finalize(void)
{
    if (profile_inside) {
        return PMPI_Finalize();
    }
    profile_inside = 1;
    const uint64_t begin = profile_now();
    const int code = PMPI_Finalize();
    process_ends(begin);
    profile_inside = 0;
    return code;
}
