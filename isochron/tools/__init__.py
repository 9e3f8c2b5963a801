# SPDX-License-Identifier: BSD-3-Clause
"""Output of third-party benchmarks: all numbers of their files, each value with the scheme that produced it."""
