/* SPDX-License-Identifier: BSD-3-Clause */
/* test_shared_file.c: what is not a file of this user alone is refused, and what nobody uses is removed. */
#include "base/shared_file.h"
#include "harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH = 100, NOBODY = 65534 };

static void name(char path[PATH], const char *part)
{
    snprintf(path, PATH, SHARED_FILE_FOLDER "isochron-unit-%ld-%s", (long)getpid(), part);
}

/* Fail the case unless opening is refused with that text; the descriptor is closed. */
static void refused(struct harness *harness, const char *path, const char *text)
{
    struct fault fault = {0};
    int descriptor = 0;
    harness_is(harness, shared_file_open(path, &descriptor, &fault) == FAULT_ENVIRONMENT);
    harness_is(harness, descriptor == -1 && strstr(fault.text, text) != NULL && strstr(fault.text, path) != NULL);
}

static void test_own(struct harness *harness)
{
    char path[PATH];
    struct fault fault = {0};
    struct stat status;
    int first = -1, second = -1;
    name(path, "own");
    harness_case(harness, "a new file is for this user alone, and can be opened again");
    harness_is(harness, shared_file_open(path, &first, &fault) == 0 && fstat(first, &status) == 0);
    harness_is(harness, S_ISREG(status.st_mode) && (status.st_mode & 0777) == 0600);
    harness_is(harness, shared_file_open(path, &second, &fault) == 0);
    close(first);
    close(second);
    unlink(path);
}

static void test_others(struct harness *harness)
{
    char path[PATH];
    name(path, "other");
    harness_case(harness, "a file that others may write to is refused");
    int descriptor = open(path, O_RDWR | O_CREAT, 0600);
    harness_is(harness, fchmod(descriptor, 0620) == 0);
    refused(harness, path, "others may write to it (mode 620); remove it");
    harness_is(harness, fchmod(descriptor, 0602) == 0);
    refused(harness, path, "others may write to it (mode 602); remove it");
    if (geteuid() == 0) {
        harness_case(harness, "a file of another user is refused");
        harness_is(harness, fchmod(descriptor, 0600) == 0 && fchown(descriptor, NOBODY, NOBODY) == 0);
        refused(harness, path, "of another user (65534)");
    }
    close(descriptor);
    unlink(path);
}

static void test_types(struct harness *harness)
{
    char path[PATH];
    name(path, "type");
    harness_case(harness, "a pipe, a folder and a link are refused, without waiting");
    harness_is(harness, mkfifo(path, 0600) == 0);
    refused(harness, path, "not a regular file");
    unlink(path);
    harness_is(harness, mkdir(path, 0700) == 0);
    refused(harness, path, "cannot be opened");
    rmdir(path);
    harness_is(harness, symlink("/etc/passwd", path) == 0);
    refused(harness, path, "cannot be opened");
    unlink(path);
}

/* Make a file that is that many seconds old; return its descriptor. */
static int make(const char *path, time_t age)
{
    const struct timespec then = {time(NULL) - age, 0}, times[2] = {then, then};
    const int descriptor = open(path, O_RDWR | O_CREAT, 0600);
    return futimens(descriptor, times) == 0 ? descriptor : -1;
}

static void test_leftovers(struct harness *harness)
{
    char old[PATH], used[PATH], fresh[PATH], prefix[PATH];
    name(prefix, "leftover");
    name(old, "leftover-old");
    name(used, "leftover-used");
    name(fresh, "leftover-fresh");
    harness_case(harness, "an old file that nobody has locked is removed, others stay");
    close(make(old, 3600));
    close(make(fresh, 0));
    const int descriptor = make(used, 3600);
    harness_is(harness, shared_file_lock(descriptor, F_RDLCK, 0, 1));
    shared_file_remove_leftovers(strrchr(prefix, '/') + 1);
    harness_is(harness, access(old, F_OK) != 0 && access(used, F_OK) == 0 && access(fresh, F_OK) == 0);
    close(descriptor);
    shared_file_remove_leftovers(strrchr(prefix, '/') + 1);
    harness_is(harness, access(used, F_OK) != 0);
    unlink(fresh);
}

int main(void)
{
    struct harness harness = {0};
    test_own(&harness);
    test_others(&harness);
    test_types(&harness);
    test_leftovers(&harness);
    return harness_end(&harness, "test_shared_file");
}
