/* SPDX-License-Identifier: BSD-3-Clause */
/* last_words.c: a complaint that reaches its reader before the launch is torn down. */
#include "launch/last_words.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS = 100 };
static const struct timespec BETWEEN_LOOKS = {.tv_nsec = 10 * 1000 * 1000};
/* From the launcher's reading a line to its writing it. */
static const struct timespec PASSED_ON = {.tv_nsec = 200 * 1000 * 1000};

/* Whether standard error is a pipe in which something waits. */
static bool last_words_unread(void)
{
    struct stat about;
    int waiting = 0;
    return fstat(STDERR_FILENO, &about) == 0 && S_ISFIFO(about.st_mode) &&
           ioctl(STDERR_FILENO, FIONREAD, &waiting) == 0 && waiting > 0;
}

void last_words(int rank, const struct fault *fault)
{
    fprintf(stderr, "isochron-engine: rank %d: %s\n", rank, fault->text);
    for (int look = 0; look < LOOKS && last_words_unread(); look++)
        nanosleep(&BETWEEN_LOOKS, NULL);
    nanosleep(&PASSED_ON, NULL);
}
