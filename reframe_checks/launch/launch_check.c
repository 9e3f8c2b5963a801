/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_check.c: a library that is loaded before a benchmark of others and tells
 * how many processes it really had, and where.
 *
 * A program that was built with another MPI library, or started by another
 * launcher, may run as many jobs of one process, and prints good times. So, at
 * the end of MPI_Init, rank 0 of MPI_COMM_WORLD writes a line of JSON into the
 * file that ISOCHRON_LAUNCH_CHECK names: processes, the host of each, the library,
 * the time, and ISOCHRON_PROPERTIES as it is; at the begin of MPI_Finalize a second
 * line, with the time in between. Nothing is done between the two, and nothing
 * without ISOCHRON_LAUNCH_CHECK.
 *
 * Programs in Fortran call mpi_init_ and mpi_finalize_. From there some
 * libraries go on to the names of C, and some to inner functions; so both are
 * heard, and each is told once.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HOST = 128, LIBRARY = 200 };

static struct timespec began;
static int started, finished;

static const char *witness_file(void) {
  const char *const name = getenv("ISOCHRON_LAUNCH_CHECK");
  return name != NULL && *name != '\0' ? name : NULL;
}

/* A JSON string; what is no plain character becomes a blank. */
static void write_text(FILE *file, const char *text, size_t most) {
  fputc('"', file);
  for (size_t i = 0; i < most && text[i] != '\0'; i++) {
    if (text[i] == '"' || text[i] == '\\')
      fputc('\\', file);
    fputc((unsigned char)text[i] < ' ' ? ' ' : text[i], file);
  }
  fputc('"', file);
}

static void write_start(FILE *file, const char *hosts, int size) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "", stamp[32] = "";
  int length = 0;
  const time_t now = time(NULL);
  struct tm utc;
  MPI_Get_library_version(library, &length);
  strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  fprintf(file, "{\"record\": \"launch-check\", \"processes\": %d, \"hosts\": [",
          size);
  for (int rank = 0; rank < size; rank++) {
    fputs(rank == 0 ? "" : ", ", file);
    write_text(file, hosts + (size_t)rank * HOST, HOST);
  }
  fputs("], \"mpi_library_version\": ", file);
  write_text(file, library, LIBRARY);
  fprintf(file, ", \"started_at\": \"%s\", \"facts\": ", stamp);
  const char *const facts = getenv("ISOCHRON_PROPERTIES");
  write_text(file, facts == NULL ? "" : facts, (size_t)-1);
  fputs("}\n", file);
}

static void tell_start(void) {
  int rank = 0, size = 0, length = 0;
  char name[MPI_MAX_PROCESSOR_NAME] = "", host[HOST] = "";
  if (witness_file() == NULL || started++)
    return;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  PMPI_Get_processor_name(name, &length);
  snprintf(host, sizeof host, "%.127s", name);
  char *const hosts = rank == 0 ? calloc((size_t)size, HOST) : NULL;
  if (rank == 0 && hosts == NULL)
    PMPI_Abort(MPI_COMM_WORLD, 1);
  PMPI_Gather(host, HOST, MPI_CHAR, hosts, HOST, MPI_CHAR, 0, MPI_COMM_WORLD);
  FILE *const file = rank == 0 ? fopen(witness_file(), "w") : NULL;
  if (file != NULL) {
    write_start(file, hosts, size);
    fclose(file);
  }
  free(hosts);
  clock_gettime(CLOCK_MONOTONIC, &began);
}

static void tell_end(void) {
  int rank = 0;
  struct timespec ended;
  if (witness_file() == NULL || finished++)
    return;
  clock_gettime(CLOCK_MONOTONIC, &ended);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  FILE *const file = rank == 0 ? fopen(witness_file(), "a") : NULL;
  if (file == NULL)
    return;
  const long long seconds = (long long)(ended.tv_sec - began.tv_sec);
  fprintf(file, "{\"elapsed_ns\": %lld}\n",
          seconds * 1000000000LL + (ended.tv_nsec - began.tv_nsec));
  fclose(file);
}

int MPI_Init(int *argc, char ***argv) {
  const int result = PMPI_Init(argc, argv);
  if (result == MPI_SUCCESS)
    tell_start();
  return result;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  const int result = PMPI_Init_thread(argc, argv, required, provided);
  if (result == MPI_SUCCESS)
    tell_start();
  return result;
}

int MPI_Finalize(void) {
  tell_end();
  return PMPI_Finalize();
}

void mpi_init_(int *result);
void mpi_init_thread_(int *required, int *provided, int *result);
void mpi_finalize_(int *result);

/* The function of that name in the libraries behind this one. */
static void *behind(const char *name) {
  void *const found = dlsym(RTLD_NEXT, name);
  if (found == NULL) {
    fprintf(stderr, "launch_check.c: no %s behind this library\n", name);
    exit(1);
  }
  return found;
}

void mpi_init_(int *result) {
  void (*theirs)(int *);
  void *const found = behind("mpi_init_");
  memcpy(&theirs, &found, sizeof theirs);
  theirs(result);
  if (*result == MPI_SUCCESS)
    tell_start();
}

void mpi_init_thread_(int *required, int *provided, int *result) {
  void (*theirs)(int *, int *, int *);
  void *const found = behind("mpi_init_thread_");
  memcpy(&theirs, &found, sizeof theirs);
  theirs(required, provided, result);
  if (*result == MPI_SUCCESS)
    tell_start();
}

void mpi_finalize_(int *result) {
  void (*theirs)(int *);
  void *const found = behind("mpi_finalize_");
  memcpy(&theirs, &found, sizeof theirs);
  tell_end();
  theirs(result);
}
