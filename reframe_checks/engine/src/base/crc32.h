/* SPDX-License-Identifier: BSD-3-Clause */
/* crc32.h: the CRC-32 of zlib and IEEE 802.3 (reflected polynomial 0xEDB88320), the checksum of an output file. */
#ifndef ISOCHRON_CRC32_H
#define ISOCHRON_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Continue crc (initially 0) over length bytes; equal to zlib's crc32(). One bit at a time: output files are small. */
static inline uint32_t crc32_update(uint32_t crc, const void *bytes, size_t length)
{
    const unsigned char *const byte = bytes;
    crc = ~crc;
    for (size_t i = 0; i < length; i++) {
        crc ^= byte[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (UINT32_C(0xedb88320) & (0u - (crc & 1u)));
    }
    return ~crc;
}

#endif
