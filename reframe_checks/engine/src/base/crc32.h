/* SPDX-License-Identifier: BSD-3-Clause */
/* crc32.h: the CRC-32 of zlib and IEEE 802.3, which seals an output file. */
#ifndef ISOCHRON_CRC32_H
#define ISOCHRON_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Continues crc (0 to begin) over length bytes; equal to zlib's crc32(). */
uint32_t crc32_update(uint32_t crc, const void *bytes, size_t length);

#endif
