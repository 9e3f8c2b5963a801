/* SPDX-License-Identifier: BSD-3-Clause */
/* session_threads.h: the level of threads that the MPI library gives, and the processors of all threads. */
#ifndef ISOCHRON_SESSION_THREADS_H
#define ISOCHRON_SESSION_THREADS_H

#include "session/session.h"

/*
 * Set the level of this process. With --threads, collective: agree on the lowest, and set the processors of the threads
 * if all threads of all processes can have one of their own.
 */
int session_place_threads(struct session *session, struct fault *fault);

/* Return the name of a level: single, funneled, serialized or multiple. */
const char *session_thread_level(int level);

#endif
