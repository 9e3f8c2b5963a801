/* SPDX-License-Identifier: BSD-3-Clause */
/* abort_message.c: writes a message that is read before the launch ends (see abort_message.h). */
#include "launch/abort_message.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ABORT_CHECKS = 100 };
static const struct timespec ABORT_PAUSE = {.tv_nsec = 10 * 1000 * 1000};
/* The time for the launcher to forward a line that it has read. */
static const struct timespec ABORT_FORWARDING = {.tv_nsec = 200 * 1000 * 1000};

/* Return true if standard error is a pipe with unread bytes. */
static bool abort_message_is_unread(void)
{
    struct stat status;
    int bytes = 0;
    return fstat(STDERR_FILENO, &status) == 0 && S_ISFIFO(status.st_mode) &&
           ioctl(STDERR_FILENO, FIONREAD, &bytes) == 0 && bytes > 0;
}

void abort_message(int rank, const struct fault *fault)
{
    fprintf(stderr, "isochron-engine: rank %d: %s\n", rank, fault->text);
    for (int check = 0; check < ABORT_CHECKS && abort_message_is_unread(); check++)
        nanosleep(&ABORT_PAUSE, NULL);
    nanosleep(&ABORT_FORWARDING, NULL);
}
