/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bad_disk.c: put before the C library, it lets one in DISK_ONE_IN calls that write to a file below DISK_FOLDER fail
 * with DISK_ERRNO (write, fsync, rename), or write only half. DISK_SEED and the number of the process decide which.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long setting(const char *name)
{
    const char *text = getenv(name);
    return text != NULL ? atol(text) : 0;
}

static int is_ours(int file)
{
    char link[64], path[4096];
    const char *folder = getenv("DISK_FOLDER");
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0 || folder == NULL)
        return 0;
    path[length] = '\0';
    return strncmp(path, folder, strlen(folder)) == 0;
}

static int is_struck(void)
{
    static unsigned state;
    if (state == 0)
        state = (unsigned)setting("DISK_SEED") * 2654435761u + (unsigned)getpid() + 1;
    const long one_in = setting("DISK_ONE_IN");
    return one_in > 0 && rand_r(&state) % one_in == 0;
}

ssize_t write(int file, const void *data, size_t size)
{
    static ssize_t (*real)(int, const void *, size_t);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "write");
    if (!is_ours(file) || !is_struck())
        return real(file, data, size);
    if (size > 1 && size % 2 == 0)
        return real(file, data, size / 2);
    errno = (int)setting("DISK_ERRNO");
    return -1;
}

int fsync(int file)
{
    static int (*real)(int);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "fsync");
    if (!is_ours(file) || !is_struck())
        return real(file);
    errno = (int)setting("DISK_ERRNO");
    return -1;
}

int rename(const char *from, const char *to)
{
    static int (*real)(const char *, const char *);
    const char *folder = getenv("DISK_FOLDER");
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "rename");
    if (folder == NULL || strncmp(from, folder, strlen(folder)) != 0 || !is_struck())
        return real(from, to);
    errno = (int)setting("DISK_ERRNO");
    return -1;
}
