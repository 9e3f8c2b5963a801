/* SPDX-License-Identifier: BSD-3-Clause */
/* session_resolve.h: from the words of the options to implementations, types and limits. */
#ifndef ISOCHRON_SESSION_RESOLVE_H
#define ISOCHRON_SESSION_RESOLVE_H

#include "session/session.h"

/* Looks the options, which have been checked (launch/check_options.h), up in the tables of implementations. */
int session_resolve(struct session *session, const struct options *options, struct fault *fault);

/* Arguments of one operation at one size, without buffers. */
void session_call(const struct session *session, const struct operation *operation, int64_t bytes, struct call *call);

/* Why the operation cannot be measured under these options, NULL when it can. */
const char *session_lacks(const struct session *session, const struct operation *operation);

/* Whether the library's types have the sizes of those of the compiler: else no size is what its row says. */
int session_check_types(const struct session *session, struct fault *fault);

#endif
