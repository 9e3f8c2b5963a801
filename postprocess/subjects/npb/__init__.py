# SPDX-License-Identifier: BSD-3-Clause
"""The NAS Parallel Benchmarks."""
