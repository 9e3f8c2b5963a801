/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * witness.c: loaded before a program's MPI library (LD_PRELOAD), it says where the program's processes really ran.
 *
 * When MPI is ready, rank 0 learns the host of every rank from MPI itself; when MPI_Finalize is called, it writes one
 * line of JSON to the file that ISOCHRON_WITNESS names: as `<file>.partial`, renamed at the end, so that the file is
 * whole or not there. A program that ends without MPI_Finalize leaves none. What else is known of the launch comes from
 * variables `ISOCHRON_HEADER_<key>` and is handed on.
 *
 * Between MPI_Init and MPI_Finalize nothing of this runs. MPI is called by its profiling names, so that no profiler
 * counts these calls. C and Fortran programs are seen; Fortran's own entries are found with dlsym, as a library may go
 * from them to its inner functions.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern char **environ;

static const char PREFIX[] = "ISOCHRON_HEADER_";

enum { PATH_LENGTH = 4096 };

/* What rank 0 keeps between the two calls; `hosts` is NULL on other ranks and before MPI_Init. */
static struct {
    int seen, processes;
    char *hosts;
    struct timespec start, start_of_day;
} witness;

static void begin(void)
{
    if (witness.seen)
        return;
    witness.seen = 1;
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int rank, length;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &witness.processes);
    PMPI_Get_processor_name(name, &length);
    char *hosts = rank == 0 ? malloc((size_t)witness.processes * sizeof name) : NULL;
    PMPI_Gather(name, (int)sizeof name, MPI_CHAR, hosts, (int)sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    clock_gettime(CLOCK_REALTIME, &witness.start_of_day);
    clock_gettime(CLOCK_MONOTONIC, &witness.start);
    witness.hosts = hosts;
}

static void put_text(FILE *file, const char *text, size_t length)
{
    fputc('"', file);
    for (size_t i = 0; i < length && text[i]; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20)
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

static void put_launch(FILE *file)
{
    const char *before = "";
    for (char **each = environ; *each; each++) {
        const char *equals = strchr(*each, '=');
        if (strncmp(*each, PREFIX, sizeof PREFIX - 1) != 0 || !equals)
            continue;
        const char *key = *each + sizeof PREFIX - 1;
        fputs(before, file);
        put_text(file, key, (size_t)(equals - key));
        fputs(": ", file);
        put_text(file, equals + 1, strlen(equals + 1));
        before = ", ";
    }
}

static void write_all(FILE *file)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "", day[32] = "";
    struct timespec end;
    struct tm utc;
    int length, version, subversion;
    PMPI_Get_library_version(library, &length);
    PMPI_Get_version(&version, &subversion);
    clock_gettime(CLOCK_MONOTONIC, &end);
    strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&witness.start_of_day.tv_sec, &utc));
    long long elapsed_ns = (end.tv_sec - witness.start.tv_sec) * 1000000000LL + end.tv_nsec - witness.start.tv_nsec;
    fprintf(file, "{\"record\": \"program\", \"schema\": 1, \"started_at\": \"%s\", \"elapsed_ns\": %lld, ", day,
            elapsed_ns);
    fprintf(file, "\"mpi_standard\": \"%d.%d\", \"mpi_library_version\": ", version, subversion);
    put_text(file, library, sizeof library);
    fputs(", \"launch\": {", file);
    put_launch(file);
    fputs("}, \"hosts\": [", file);
    for (int rank = 0; rank < witness.processes; rank++) {
        if (rank)
            fputs(", ", file);
        put_text(file, witness.hosts + (size_t)rank * (MPI_MAX_PROCESSOR_NAME + 1), MPI_MAX_PROCESSOR_NAME);
    }
    fputs("]}\n", file);
}

static void end(void)
{
    const char *path = getenv("ISOCHRON_WITNESS");
    if (!witness.hosts || !path)
        return;
    char partial[PATH_LENGTH];
    if (snprintf(partial, sizeof partial, "%s.partial", path) >= (int)sizeof partial)
        return;
    FILE *file = fopen(partial, "w");
    if (!file) {
        fprintf(stderr, "witness.c: ISOCHRON_WITNESS=%s cannot be written\n", path);
        return;
    }
    write_all(file);
    int failed = ferror(file);
    if (fclose(file) == 0 && !failed)
        rename(partial, path);
    free(witness.hosts);
    witness.hosts = NULL;
}

int MPI_Init(int *argc, char ***argv)
{
    int code = PMPI_Init(argc, argv);
    if (code == MPI_SUCCESS)
        begin();
    return code;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int code = PMPI_Init_thread(argc, argv, required, provided);
    if (code == MPI_SUCCESS)
        begin();
    return code;
}

int MPI_Finalize(void)
{
    end();
    return PMPI_Finalize();
}

void mpi_init_(int *code);
void mpi_init_thread_(int *required, int *provided, int *code);
void mpi_finalize_(int *code);

/* The function of that name in the libraries that come after this one. */
static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found)
        return found;
    fprintf(stderr, "witness.c: no %s behind this library\n", name);
    exit(1);
}

void mpi_init_(int *code)
{
    void *found = next("mpi_init_");
    void (*theirs)(int *);
    memcpy(&theirs, &found, sizeof theirs);
    theirs(code);
    if (*code == MPI_SUCCESS)
        begin();
}

void mpi_init_thread_(int *required, int *provided, int *code)
{
    void *found = next("mpi_init_thread_");
    void (*theirs)(int *, int *, int *);
    memcpy(&theirs, &found, sizeof theirs);
    theirs(required, provided, code);
    if (*code == MPI_SUCCESS)
        begin();
}

void mpi_finalize_(int *code)
{
    end();
    void *found = next("mpi_finalize_");
    void (*theirs)(int *);
    memcpy(&theirs, &found, sizeof theirs);
    theirs(code);
}
