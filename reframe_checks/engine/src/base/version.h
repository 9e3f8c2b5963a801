/* SPDX-License-Identifier: BSD-3-Clause */
/* version.h: the versions of the engine and of its output. */
#ifndef ISOCHRON_VERSION_H
#define ISOCHRON_VERSION_H

#define ENGINE_VERSION "0.1.0"

enum { OUTPUT_SCHEMA = 1 };

#if defined(__clang__)
#define ENGINE_COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define ENGINE_COMPILER "gcc " __VERSION__
#else
#define ENGINE_COMPILER "unknown"
#endif

#endif
