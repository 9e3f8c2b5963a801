/* SPDX-License-Identifier: BSD-3-Clause */
/* addresses.h: at which addresses of a network other hosts may reach this one. */
#ifndef ISOCHRON_ADDRESSES_H
#define ISOCHRON_ADDRESSES_H

#include <netinet/in.h>
#include <stddef.h>

enum { ADDRESSES_MOST = 4 };

/*
 * IPv4 addresses of the interfaces that are up, loopback left out: those of the fastest links first, as the kernel
 * says (/sys/class/net/NAME/speed), then in its order. Returns how many, at most ADDRESSES_MOST.
 */
size_t addresses_own(struct in_addr addresses[ADDRESSES_MOST]);

#endif
