/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * poor_file_system.c: loaded before the C library, it takes from all files what some file systems do not have: locks
 * (flock), hard and symbolic links, and, for files below the folder POOR, changes of their mode: that is 0777 there, as
 * a mount option would have it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(int code)
{
    errno = code;
    return -1;
}

static int is_poor(const char *path)
{
    const char *folder = getenv("POOR");
    char real[PATH_MAX];
    return folder != NULL && realpath(path, real) != NULL && strncmp(real, folder, strlen(folder)) == 0;
}

int flock(int file, int operation)
{
    (void)file;
    (void)operation;
    return refuse(ENOLCK);
}

int link(const char *from, const char *to)
{
    (void)from;
    (void)to;
    return refuse(EPERM);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    (void)from_folder;
    (void)from;
    (void)to_folder;
    (void)to;
    (void)flags;
    return refuse(EXDEV);
}

int symlink(const char *from, const char *to)
{
    static int (*real)(const char *, const char *);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "symlink");
    return strstr(to, "/.latest.") != NULL ? refuse(EPERM) : real(from, to);
}

int chmod(const char *path, mode_t mode)
{
    static int (*real)(const char *, mode_t);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "chmod");
    return is_poor(path) ? (real(path, 0777), refuse(EPERM)) : real(path, mode);
}

int fchmod(int file, mode_t mode)
{
    static int (*real)(int, mode_t);
    char name[64];
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "fchmod");
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    return is_poor(name) ? (real(file, 0777), refuse(EPERM)) : real(file, mode);
}
