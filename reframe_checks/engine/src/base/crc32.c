/* SPDX-License-Identifier: BSD-3-Clause */
/* crc32.c: CRC-32, reflected polynomial 0xEDB88320, a bit at a time: an output file is small. */
#include "base/crc32.h"

uint32_t crc32_update(uint32_t crc, const void *bytes, size_t length)
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
