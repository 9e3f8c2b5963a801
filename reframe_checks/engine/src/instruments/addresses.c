/* SPDX-License-Identifier: BSD-3-Clause */
/* addresses.c: asks the kernel for interfaces and their speed (see addresses.h). */
#include "instruments/addresses.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Mbit/s; 0 where the kernel does not say. */
static long addresses_speed(const char *interface)
{
    char path[80];
    long speed = 0;
    snprintf(path, sizeof path, "/sys/class/net/%.40s/speed", interface);
    FILE *const file = fopen(path, "r");
    if (file != NULL && fscanf(file, "%ld", &speed) != 1)
        speed = 0;
    if (file != NULL)
        fclose(file);
    return speed > 0 ? speed : 0;
}

static bool addresses_may_be_used(const struct ifaddrs *interface)
{
    const unsigned wanted = IFF_UP | IFF_RUNNING;
    return interface->ifa_addr != NULL && interface->ifa_addr->sa_family == AF_INET &&
           (interface->ifa_flags & wanted) == wanted && !(interface->ifa_flags & IFF_LOOPBACK);
}

size_t addresses_own(struct in_addr addresses[ADDRESSES_MOST])
{
    struct ifaddrs *interfaces = NULL;
    long speeds[ADDRESSES_MOST];
    size_t count = 0;
    if (getifaddrs(&interfaces) != 0)
        return 0;
    for (const struct ifaddrs *each = interfaces; each != NULL; each = each->ifa_next) {
        if (!addresses_may_be_used(each))
            continue;
        struct sockaddr_in place;
        memcpy(&place, each->ifa_addr, sizeof place);
        const long speed = addresses_speed(each->ifa_name);
        size_t at = count;
        for (; at > 0 && speeds[at - 1] < speed; at--)
            if (at < ADDRESSES_MOST) {
                speeds[at] = speeds[at - 1];
                addresses[at] = addresses[at - 1];
            }
        if (at == ADDRESSES_MOST)
            continue;
        speeds[at] = speed;
        addresses[at] = place.sin_addr;
        count += count < ADDRESSES_MOST;
    }
    freeifaddrs(interfaces);
    return count;
}
