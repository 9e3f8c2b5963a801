/* SPDX-License-Identifier: BSD-3-Clause */
/* shared_file.c: opening with distrust, locks, leftovers (see shared_file.h). */
#include "base/shared_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SHARED_FILE_LEFTOVER_S = 60 }; /* an unused file of that age is removed */
enum { SHARED_FILE_TRIES = 1000 };    /* others may remove and create it in between */

/*
 * Open an existing file, or create a new one. O_CREAT without O_EXCL is not used: in a folder such as /dev/shm the
 * kernel may refuse it for a file of another user (fs.protected_regular), without a word about the owner.
 */
static int shared_file_descriptor(const char *path)
{
    const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    int descriptor = -1;
    for (int i = 0; i < SHARED_FILE_TRIES && descriptor < 0; i++) {
        descriptor = open(path, flags);
        if (descriptor >= 0 || errno != ENOENT)
            break;
        descriptor = open(path, flags | O_CREAT | O_EXCL, 0600);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    return descriptor;
}

int shared_file_open(const char *path, int *descriptor, struct fault *fault)
{
    struct stat status = {0};
    *descriptor = shared_file_descriptor(path);
    if (*descriptor < 0 || fstat(*descriptor, &status) != 0)
        fault_set(fault, FAULT_ENVIRONMENT, "%s: cannot be opened: %s; remove it if it is there", path,
                  strerror(errno));
    else if (!S_ISREG(status.st_mode))
        fault_set(fault, FAULT_ENVIRONMENT, "%s: not a regular file; remove it", path);
    else if (status.st_uid != geteuid())
        fault_set(fault, FAULT_ENVIRONMENT, "%s: of another user (%lu); let that user remove it", path,
                  (unsigned long)status.st_uid);
    else if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        fault_set(fault, FAULT_ENVIRONMENT, "%s: others may write to it (mode %03o); remove it", path,
                  (unsigned)status.st_mode & 0777U);
    if (fault->code == FAULT_NONE)
        return 0;
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
    return (int)fault->code;
}

int shared_file_locked(const char *path, struct fault *fault)
{
    return fault_set(fault, FAULT_ENVIRONMENT, "%s: locked by a process that does not go on; end it", path);
}

bool shared_file_lock(int descriptor, short type, int first, int count)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = first, .l_len = count};
    return fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

bool shared_file_is_locked(int descriptor, int first, int count)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = first, .l_len = count};
    return fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static bool shared_file_is_old(const struct stat *status)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return S_ISREG(status->st_mode) && status->st_uid == geteuid() &&
           now.tv_sec - status->st_mtime >= SHARED_FILE_LEFTOVER_S;
}

/* Return true if the file was a leftover and has been removed. */
static bool shared_file_remove(int folder, const char *name)
{
    struct stat found, opened;
    if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0 || !shared_file_is_old(&found))
        return false;
    const int descriptor = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const bool removed = descriptor >= 0 && shared_file_lock(descriptor, F_WRLCK, 0, 0) &&
                         fstat(descriptor, &opened) == 0 && fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
                         opened.st_ino == found.st_ino && shared_file_is_old(&opened) && unlinkat(folder, name, 0) == 0;
    if (descriptor >= 0)
        close(descriptor);
    return removed;
}

void shared_file_remove_leftovers(const char *prefix)
{
    DIR *const folder = opendir(SHARED_FILE_FOLDER);
    const struct dirent *entry = NULL;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 && shared_file_remove(dirfd(folder), entry->d_name))
            fprintf(stderr, "isochron: removed " SHARED_FILE_FOLDER "%s, which no process uses any more\n",
                    entry->d_name);
    if (folder != NULL)
        closedir(folder);
}
