/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shared_file.h: files in /dev/shm, where every user may write, that the processes of this user share.
 *
 * Locks are of open file descriptions: the kernel releases them when a process ends, however it ends.
 */
#ifndef ISOCHRON_SHARED_FILE_H
#define ISOCHRON_SHARED_FILE_H

#include "base/fault.h"

#include <stdbool.h>

#define SHARED_FILE_FOLDER "/dev/shm/"

/*
 * Open or create the file for reading and writing, with mode 0600. An environment fault, and *descriptor -1, unless it
 * is a regular file that this user owns and that nobody else may write to.
 */
int shared_file_open(const char *path, int *descriptor, struct fault *fault);

/* Set the environment fault for a file that a process keeps locked. */
int shared_file_locked(const char *path, struct fault *fault);

/*
 * Lock bytes (F_RDLCK, F_WRLCK) or release them (F_UNLCK) without waiting; false if another process is in the way.
 * count 0: to the end.
 */
bool shared_file_lock(int descriptor, short type, int first, int count);

/* Return true if another process holds a lock on one of these bytes. */
bool shared_file_is_locked(int descriptor, int first, int count);

/*
 * Remove the files of this user whose names begin like that, on which nobody holds a lock and that are older than a
 * minute, with a line on standard error for each. A file is locked while it is removed: who opens it just then sees,
 * once it has its lock, that the file has no name any more.
 */
void shared_file_remove_leftovers(const char *prefix);

#endif
