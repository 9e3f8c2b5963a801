# SPDX-License-Identifier: BSD-3-Clause
"""Units of bandwidth: our own tables have MB/s of 10⁶ bytes; what a source prints as MB/s may be MiB/s, 2²⁰ bytes."""

from __future__ import annotations

#: Bytes of a MB (SI) and of a MiB (IEC 80000-13).
MB, MIB = 10**6, 2**20
#: MiB/s → MB/s: multiply.
MIB_IN_MB = MIB / MB
